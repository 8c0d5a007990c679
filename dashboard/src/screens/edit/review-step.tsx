import { useNavigate } from '@tanstack/react-router';
import type { CampaignView } from '../../api/types.ts';
import { useBuilder } from '../../builder/context.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Section } from '../../parts/page.tsx';
import { countText, listText } from '../../text/numbers.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { FaultLinks } from '../campaign/fault-links.tsx';
import { Flows } from '../campaign/flows.tsx';
import { useCampaignActs } from '../campaign/use-campaign-acts.tsx';
import styles from './edit.module.css';

interface Props {
  readonly view: CampaignView;
  readonly isSaved: boolean;
}

/** The whole campaign in words, what is wrong with it, and the way into effect. */
export function ReviewStep({ view, isSaved }: Props) {
  const { state, faults, type } = useBuilder();
  return (
    <div className={styles.flows}>
      {faults.length > 0 && (
        <Banner
          tone="fault"
          title={`${countText(faults.length, 'fault')} to mend before it can be approved`}
          isAlert={false}
        >
          <FaultLinks campaign={view.id} faults={faults} />
        </Banner>
      )}
      <Section title="What will run">
        <Flows campaign={{ ...view, type }} document={state.document} />
      </Section>
      {view.live && view.draft && (
        <Section title="What changes against what runs now">
          <Card>
            {view.draft.differences.length > 0 ? (
              <Diff changes={view.draft.differences} />
            ) : (
              <p>Nothing: it is the same as what runs.</p>
            )}
          </Card>
        </Section>
      )}
      {faults.length === 0 && <Approve view={view} isSaved={isSaved} />}
    </div>
  );
}

/** Approves for the person's organisation, or asks the others to. */
function Approve({ view, isSaved }: Props) {
  const organisation = useOrganisation();
  const navigate = useNavigate();
  const acts = useCampaignActs(view, () =>
    navigate({
      to: '/$organisation/campaigns/$campaign',
      params: { organisation: String(organisation.id), campaign: String(view.id) },
    }),
  );
  const stateOf = (wanted: string) => view.acts.find(({ act }) => act === wanted);
  const others = view.waits_for.filter(({ id }) => id !== organisation.id).map(({ name }) => name);
  const choices = [
    { act: 'approve', label: 'Approve campaign', isAllowed: stateOf('approve')?.is_allowed === true },
    { act: 'submit', label: 'Send to review', isAllowed: stateOf('submit')?.is_allowed === true },
  ] as const;
  const allowed = choices.filter(({ isAllowed }) => isAllowed);
  return (
    <Section title="Into effect">
      <Card>
        <p>
          {others.length === 0
            ? 'It takes effect with your approval.'
            : `It takes effect when ${listText(others)} ${others.length === 1 ? 'has' : 'have'} approved it too.`}
        </p>
        {allowed.length === 0 && (
          <p className={styles.quiet}>{stateOf('approve')?.reason ?? 'You cannot approve it now'}.</p>
        )}
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
      </Card>
    </Section>
  );
}
