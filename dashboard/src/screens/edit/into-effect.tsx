import { useNavigate } from '@tanstack/react-router';
import { isSame } from '../../../../shared/domain/campaign/document/tree.ts';
import type { CampaignView } from '../../api/types.ts';
import { useBuilder } from '../../builder/context.ts';
import { fileToSend } from '../../builder/file-to-send.ts';
import { storedDocument } from '../../builder/server-draft.ts';
import { Button } from '../../parts/button.tsx';
import { listText } from '../../text/numbers.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { useCampaignActs } from '../campaign/use-campaign-acts.tsx';
import styles from './edit.module.css';

/** Approves for the person's organisation, or sends the campaign to the others. */
export function IntoEffect({ view }: { readonly view: CampaignView }) {
  const organisation = useOrganisation();
  const navigate = useNavigate();
  const isSaved = useIsSaved(view);
  const acts = useCampaignActs(view, () =>
    navigate({
      to: '/$organisation/campaigns/$campaign',
      params: { organisation: String(organisation.id), campaign: String(view.id) },
    }),
  );
  const stateOf = (wanted: string) => view.acts.find(({ act }) => act === wanted);
  const choices = [
    { act: 'approve', label: 'Approve campaign' },
    { act: 'submit', label: 'Send to review' },
  ] as const;
  const allowed = choices.filter(({ act }) => stateOf(act)?.is_allowed);
  const others = view.waits_for.filter(({ id }) => id !== organisation.id).map(({ name }) => name);
  return (
    <div className={styles.effect}>
      <p>{effectText(others)}</p>
      {allowed.length === 0 && <p className={styles.quiet}>{stateOf('approve')?.reason}</p>}
      <div className={styles.acts}>
        {allowed.map(({ act, label }, position) => (
          <Button
            key={act}
            look={position === 0 ? 'primary' : 'secondary'}
            isDisabled={!isSaved}
            isBusy={acts.isPending && acts.variables.act === act}
            onPress={() => acts.mutate({ act })}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}

const effectText = (others: readonly string[]) =>
  others.length === 0
    ? 'It takes effect with your approval.'
    : `It takes effect when ${listText(others)} ${others.length === 1 ? 'has' : 'have'} approved it too.`;

/** Whether the server has everything that is on the screen: an approval is given to what the server has. */
function useIsSaved(view: CampaignView): boolean {
  const { state } = useBuilder();
  const stored = storedDocument(view);
  const { document, isPartial } = fileToSend(state, stored);
  return !isPartial && isSame(document, stored);
}
