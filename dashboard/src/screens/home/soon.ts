import type { CampaignSummary } from '../../api/types.ts';
import { instantText } from '../../text/times.ts';

const weekMs = 7 * 24 * 60 * 60 * 1_000;

const isWithinWeek = (iso: string | null, now: Date): iso is string => {
  const ms = iso === null ? Number.NaN : Date.parse(iso) - now.getTime();
  return ms > 0 && ms <= weekMs;
};

const hasToStart = ({ status }: CampaignSummary) => status === 'SCHEDULED';
const hasToEnd = ({ status }: CampaignSummary) => status === 'ACTIVE' || status === 'PAUSED' || status === 'SCHEDULED';

/** Whether the schedule starts or ends a campaign within the next seven days. */
export const isSoon = (campaign: CampaignSummary, now: Date): boolean =>
  (hasToStart(campaign) && isWithinWeek(campaign.starts_at, now)) ||
  (hasToEnd(campaign) && isWithinWeek(campaign.ends_at, now));

/** `Ends tomorrow 09:00`, in the zone of the partnership. */
export function soonText(campaign: CampaignSummary, now: Date): string {
  const { starts_at, ends_at, partnership } = campaign;
  const at = (iso: string) => instantText(iso, now, partnership.time_zone);
  if (hasToStart(campaign) && isWithinWeek(starts_at, now)) return `Starts ${at(starts_at)}`;
  return ends_at === null ? '' : `Ends ${at(ends_at)}`;
}
