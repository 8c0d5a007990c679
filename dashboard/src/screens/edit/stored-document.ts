import { isObject, type Json } from '../../../../shared/domain/campaign/document/tree.ts';
import type { CampaignView } from '../../api/types.ts';

/** The document that the server has: the next version, otherwise the running one. */
export function storedDocument({ draft, live }: CampaignView): Json {
  const document = draft?.document ?? live?.document;
  return isObject(document) ? document : {};
}
