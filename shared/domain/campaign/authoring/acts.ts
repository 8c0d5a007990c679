import { documentOf, type ManagedCampaign } from '../document/campaign.ts';
import {
  activate,
  advance,
  type ChangeContext,
  end,
  type Outcome,
  pause,
  refuse,
  refuseOutsider,
  remove,
  resume,
} from './lifecycle.ts';
import { approve, discard, edit, editable, reject, submit } from './review.ts';

/** What an organisation may do with a campaign now, and why not. */

/** Decides an act as if it were done now. */
type Decide = (campaign: ManagedCampaign, context: ChangeContext) => Outcome | undefined;

/** Acts that need a document to begin with. */
const copy: Decide = (campaign, context) =>
  refuseOutsider(campaign, context) ?? (editable(campaign) ? undefined : refuse('it has no document'));

const decisions = {
  edit: (campaign, context) => {
    const version = editable(campaign);
    if (!version) return refuse('it has no document');
    return edit(campaign, { document: documentOf(version), nextPartId: campaign.record.nextPartId }, context);
  },
  submit,
  approve,
  reject: (campaign, context) => reject(campaign, 'any reason', context),
  pause,
  resume,
  activate,
  end,
  discard,
  delete: remove,
  duplicate: copy,
  create_template: copy,
} as const satisfies Readonly<Record<string, Decide>>;

export type CampaignActName = keyof typeof decisions;
export const campaignActNames = Object.keys(decisions) as CampaignActName[];

/** The acts that put a version before the other organisations, or into effect. They need a sound version. */
const putsForward: ReadonlySet<CampaignActName> = new Set(['submit', 'approve']);

/** An act, and the reason against it; null when the organisation may do it. */
export interface CampaignActState {
  readonly act: CampaignActName;
  readonly refusal: string | null;
}

/** What the acts on a campaign depend on, beside the campaign. */
export interface ActsContext extends ChangeContext {
  /** How many faults the next version has. */
  readonly faults: number;
  readonly partnership: { readonly isDeleted: boolean };
}

/**
 * Decides every act on a campaign for an organisation, without doing it. A start or end that is due counts as reached.
 */
export function findActs(found: ManagedCampaign, context: ActsContext): CampaignActState[] {
  const campaign = advance(found, context.now) ?? found;
  return campaignActNames.map((act) => ({ act, refusal: refusalOf(act, campaign, context) }));
}

function refusalOf(act: CampaignActName, campaign: ManagedCampaign, context: ActsContext): string | null {
  const decide: Decide = decisions[act];
  const outcome = decide(campaign, context);
  if (outcome?.kind === 'refused') return outcome.reason;
  if (context.partnership.isDeleted && needsPartnership.has(act)) return 'its partnership is deleted';
  if (!putsForward.has(act) || context.faults === 0) return null;
  return context.faults === 1
    ? 'it has a fault: correct it first'
    : `it has ${context.faults} faults: correct them first`;
}

const needsPartnership: ReadonlySet<CampaignActName> = new Set(['edit', 'submit', 'approve', 'duplicate']);
