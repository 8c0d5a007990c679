import type { TableAccess } from '../contracts/table.ts';
import type { CampaignActName } from '../domain/campaign/authoring/acts.ts';
import { FaultyDocumentError } from '../domain/campaign/authoring/schema-faults.ts';
import { InvalidInputError, type LastChange, ChangedMeanwhileError as NewerRevisionError } from '../domain/errors.ts';
import { parseIntegerId } from '../domain/ids.ts';
import { actPermissions } from '../operations/campaign/campaign-acts.ts';
import {
  type CampaignViewer,
  findVisible,
  type LoadCampaignDeps,
  loadCampaign,
} from '../operations/campaign/load-campaign.ts';
import { CampaignRefusedError, ChangedMeanwhileError, NotPermittedError } from '../operations/errors.ts';
import type { StaffCaller } from './request.ts';
import { reasonInWords } from './views/campaign-acts.ts';
import { campaignView } from './views/managed-campaign.ts';
import { snakeCased } from './views/snake-case.ts';

/** What the endpoints of campaigns at the management host share. */

/** The refusals of these endpoints, and the errors that lead to them. */
export const campaignRefusals = {
  refusals: { invalid_request: 400, not_permitted: 403, not_found: 404, wrong_state: 409 },
  errors: {
    NotFoundError: 'not_found',
    NotASideError: 'not_found',
    NotPermittedError: 'not_permitted',
    CampaignRefusedError: 'wrong_state',
    WrongStateError: 'wrong_state',
  },
  notFound: 'not_found',
} as const;

/** What a change of a campaign may read and write. */
export const campaignChangeAccess: TableAccess = {
  table: {
    campaign: ['GetItem', 'BatchGetItem', 'Query', 'PutItem'],
    partnership: ['GetItem', 'Query', 'PutItem', 'ConditionCheckItem'],
    organisation: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    staff: ['BatchGetItem', 'ConditionCheckItem'],
    sequence: ['GetItem', 'UpdateItem'],
    adjustment: ['GetItem', 'Query'],
    organisationAudit: ['PutItem'],
    outbox: ['PutItem'],
  },
  indexes: ['byMerchant'],
};

/** The person who looks at a campaign. */
export const viewerOf = ({ organisationId, staffId, permissions }: StaffCaller): CampaignViewer => ({
  ...{ organisationId, staffId, permissions },
  operator: `staff ${staffId}`,
});

/** The id of a campaign or template in a path. Text that is no id becomes 0, which nothing has. */
export const pathNumber = (text: string): number => parseIntegerId(text) ?? 0;

/** @throws NotPermittedError when the roles of the person do not allow an act */
export function requireActPermission({ permissions }: StaffCaller, act: CampaignActName): void {
  if (!permissions.includes(actPermissions[act])) throw new NotPermittedError();
}

/** A campaign on the wire, as a person sees it. @throws NotFoundError */
export async function replyCampaign(id: number, caller: StaffCaller, deps: LoadCampaignDeps) {
  return snakeCased(campaignView(await loadCampaign(id, viewerOf(caller), deps)));
}

/**
 * Changes a campaign that the person may see. Errors of the change are put in words for the person.
 *
 * @throws NotFoundError when the person may not see the campaign
 * @throws NewerRevisionError with the last change, when the campaign has another revision than the person has seen
 */
export async function changeSeen<Result>(
  id: number,
  caller: StaffCaller,
  change: () => Promise<Result>,
  deps: LoadCampaignDeps,
): Promise<Result> {
  await findVisible(id, viewerOf(caller), deps);
  try {
    return await change();
  } catch (error) {
    if (error instanceof CampaignRefusedError) {
      const { names } = await loadCampaign(id, viewerOf(caller), deps);
      throw new CampaignRefusedError(reasonInWords(error.reason, names));
    }
    if (error instanceof ChangedMeanwhileError) throw new NewerRevisionError(await lastChange(id, caller, deps));
    throw inRequest(error);
  }
}

async function lastChange(id: number, caller: StaffCaller, deps: LoadCampaignDeps): Promise<LastChange> {
  const { revision, changed, changedAt } = campaignView(await loadCampaign(id, viewerOf(caller), deps));
  return { revision, by: changed && (changed.person ?? changed.organisation.name), at: changedAt };
}

/** The faults of a document as faults of the request that contains the document; other errors as they are. */
export function inRequest(error: unknown): unknown {
  if (!(error instanceof FaultyDocumentError)) return error;
  return new InvalidInputError(
    error.faults.map(({ pointer, code, message }) => ({ path: ['document', ...segmentsOf(pointer)], code, message })),
  );
}

const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
