import type { CampaignView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { countText, listText } from '../../text/numbers.ts';

/** Says before a change which approvals it takes away. */
export function ApprovalsAtStake({ view: { draft } }: { readonly view: CampaignView }) {
  if (draft === null || draft.approvals.length === 0) return null;
  const names = draft.approvals.map(({ organisation }) => organisation.name);
  return (
    <Banner tone="attention" title={`A change takes ${countText(names.length, 'approval')} away`}>
      <p>{`${listText(names)} approved it as it is now, and would have to approve it again.`}</p>
    </Banner>
  );
}
