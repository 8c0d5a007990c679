import { InvalidInputError } from '../../../../shared/domain/errors.ts';
import { isSide } from '../../../../shared/domain/partnership.ts';
import { inRequest, replyCampaign, viewerOf } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { findVisible, loadCampaignStores } from '../../../../shared/operations/campaign/load-campaign.ts';
import {
  createCampaignFromTemplate,
  manageTemplatesStores,
} from '../../../../shared/operations/campaign/manage-templates.ts';
import { createDraft, duplicateCampaign } from '../../../../shared/operations/campaign/write-campaign.ts';
import { AlreadyExistsError, NotFoundError } from '../../../../shared/operations/errors.ts';
import { contract } from './contract.ts';

const stores = { ...manageTemplatesStores, ...loadCampaignStores };

export const handler = managementEndpoint(contract, stores, async (call) => {
  const { body, caller, deps } = call;
  const { partnership_uuid: uuid, document, template_id: templateId, campaign_id: original } = body;
  const { request_id: requestId } = body;
  const sources = [document, templateId, original].filter((source) => source !== undefined);
  if (sources.length !== 1) throw new InvalidInputError([sourceFault]);
  const as = { id: caller.organisationId };
  const acting = withAuthor(contract, call);

  const create = async () => {
    if (original !== undefined) {
      await findVisible(original, viewerOf(caller), deps);
      return duplicateCampaign({ campaignId: original, as, requestId }, acting);
    }
    if (uuid === undefined) throw new InvalidInputError([partnershipFault]);
    const partnership = await deps.partnerships.find(uuid);
    if (!partnership || partnership.isDeleted || !isSide(caller.organisationId, partnership))
      throw new NotFoundError({ kind: 'partnership', id: uuid });
    if (templateId !== undefined) return createCampaignFromTemplate({ templateId, partnership, as, requestId }, acting);
    return (await createDraft(document, { partnership, as, requestId }, acting)).campaign;
  };
  const id = await create().then(
    ({ record }) => record.id,
    async (error: unknown) => {
      const isRepeated = error instanceof AlreadyExistsError && requestId !== undefined;
      const created = isRepeated ? await deps.campaignRecords.findRequested(as.id, requestId) : undefined;
      if (created === undefined) throw inRequest(error);
      return created;
    },
  );
  return replyCampaign(id, caller, deps);
});

const sourceFault = {
  path: [],
  code: 'invalid_request',
  message: 'Name one of document, template_id and campaign_id',
};
const partnershipFault = { path: ['partnershipUuid'], code: 'required', message: 'is missing' };
