import { isObject, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import type { ApprovalView, CampaignView, Session } from '../api/types.ts';
import type { ServerDraft } from './autosave.ts';

/** The document that the server has: the next version, otherwise the running one. */
export function storedDocument({ draft, live }: Pick<CampaignView, 'draft' | 'live'>): Json {
  const document = draft?.document ?? live?.document;
  return isObject(document) ? document : {};
}

/** A campaign as the work on its draft needs it. */
export function serverDraft(view: CampaignView, { name }: Session['person']): ServerDraft {
  const { revision, changed, draft } = view;
  return {
    revision,
    document: storedDocument(view),
    by: changed ? byText(changed, name) : null,
    at: changed?.at ?? null,
    approvedBy: draft?.approvals.map(({ organisation }) => organisation.name) ?? [],
    isRunning: draft === null,
  };
}

const byText = ({ person, organisation }: Pick<ApprovalView, 'person' | 'organisation'>, own: string) =>
  person === own ? 'You, in another window,' : (person ?? organisation.name);
