import type { ActView, CampaignView } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { LoadedActs } from './loaded-acts.tsx';

interface Props {
  readonly campaign: CampaignView;
  readonly onDeleted: () => void;
}

/** The acts of which the first two get buttons, if they are allowed; the others are in the menu. */
const withButtons: readonly ActView['act'][] = ['approve', 'submit', 'resume', 'edit', 'pause'];

/** The buttons of a campaign. What waits for the person is the primary one. */
export function CampaignActions({ campaign, onDeleted }: Props) {
  return (
    <LoadedActs campaign={campaign} view={campaign} onDeleted={onDeleted}>
      {(acts) => {
        const shown = withButtons.flatMap((id) => acts.filter((act) => act.id === id)).slice(0, 2);
        const primary = shown.find(({ id }) => id === 'approve' || id === 'submit')?.id;
        return (
          <>
            {[...shown].reverse().map(({ id, label, onAction }) => (
              <Button key={id} look={id === primary ? 'primary' : 'secondary'} onPress={onAction}>
                {label}
              </Button>
            ))}
            <Menu label={`More acts of ${campaign.name}`} acts={acts.filter((act) => !shown.includes(act))} />
          </>
        );
      }}
    </LoadedActs>
  );
}
