import { fromTemplate, toTemplate } from '../../domain/campaign/authoring/new-campaign.ts';
import { numberParts } from '../../domain/campaign/authoring/number-parts.ts';
import { findStrangerFaults } from '../../domain/campaign/authoring/read-document.ts';
import { FaultyDocumentError } from '../../domain/campaign/authoring/schema-faults.ts';
import type { ManagedCampaign } from '../../domain/campaign/document/campaign.ts';
import { platformOwnerId, Template } from '../../domain/campaign/document/template.ts';
import type { Json } from '../../domain/campaign/document/tree.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { Templates, templateDeletion, templateWrite } from '../../store/campaign/templates.ts';
import { isNew } from '../../store/table/table-client.ts';
import { AlreadyExistsError, NotFoundError, type Subject } from '../errors.ts';
import { authorChecks } from '../staff/author-checks.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import {
  type ActingOrganisation,
  actingSubject,
  actingText,
  type CampaignAct,
  campaignSubject,
  findCampaign,
  loadCampaignSettings,
  personOf,
  requireSide,
} from './change-campaign.ts';
import { type CampaignOrigin, type WriteCampaignDeps, writeCampaignStores, writeDraft } from './write-campaign.ts';

export const manageTemplatesStores = { ...writeCampaignStores, templates: Templates };
export type ManageTemplatesDeps = AuditedDeps<typeof manageTemplatesStores>;

/**
 * Creates a template from a campaign, for the acting organisation.
 *
 * @param act without a `name`, the template has the name of the campaign
 * @throws NotFoundError, NotASideError
 */
export async function createTemplate(
  { campaignId, as, name }: Pick<CampaignAct, 'campaignId' | 'as'> & { readonly name?: string | undefined },
  deps: WriteCampaignDeps,
): Promise<Template> {
  const { record, live } = await findCampaign(campaignId, deps);
  requireSide(record, as.id);
  const original = live ?? record.draft?.campaign;
  if (!original) throw new NotFoundError({ kind: 'document', id: campaignId }, { within: campaignSubject(campaignId) });
  const id = await leaseId(deps);
  const named = name === undefined ? original : { ...original, name };
  const template = toTemplate(named, { id, organisationId: as.id, now: deps.now() });
  await writeTemplate(template, `created template ${id} from campaign ${campaignId} as ${actingText(as)}`, deps);
  return template;
}

/** The owner of a template: one organisation, or the platform, which offers it to every organisation. */
export type TemplateOwner = { readonly merchantId: number } | { readonly partnerId: number } | 'platform';

/**
 * Offers a template.
 *
 * @param document a campaign document without a schedule
 * @throws ZodError with every fault of the document
 */
export async function offerTemplate(document: Json, owner: TemplateOwner, deps: WriteCampaignDeps): Promise<Template> {
  const sides = { merchantId: null, partnerId: null, ...(owner !== 'platform' && owner) };
  const ownerId = sides.merchantId ?? sides.partnerId ?? platformOwnerId;
  const id = await leaseId(deps);
  const numbered = numberParts(document, null, { organisationId: ownerId, nextPartId: 1 });
  const given = { ...sides, id, ownerId, logo: null, templateId: null, createdAt: deps.now().toISOString() };
  const template = Template.parse({ ...numbered.document, ...given });
  const ownerText = ownerId === platformOwnerId ? 'the platform' : `organisation ${ownerId}`;
  await writeTemplate(template, `created template ${id} of ${ownerText}`, deps);
  return template;
}

/**
 * Creates a draft from a template of the acting organisation or of the platform.
 *
 * @throws NotFoundError, NotASideError
 * @throws FaultyDocumentError when the template names partners of another merchant
 */
export async function createCampaignFromTemplate(
  { templateId, partnership, as, requestId }: CampaignOrigin & { readonly templateId: number },
  deps: ManageTemplatesDeps,
): Promise<ManagedCampaign> {
  requireSide(partnership, as.id);
  const owners = [as.id, platformOwnerId];
  const found = await Promise.all(owners.map((owner) => deps.templates.find(owner, templateId)));
  const template = found.find(Boolean);
  if (!template) throw new NotFoundError(templateSubject(templateId), { within: actingSubject(as) });
  await requireKnownPartners(template, partnership, deps);
  const id = await leaseId(deps);
  const context = { id, partnership, organisationId: as.id, now: deps.now(), ...(await personOf(deps)) };
  const campaign = fromTemplate(template, context);
  const what = `used template ${templateId} as ${actingText(as)}: campaign ${id}`;
  await writeDraft(campaign, { what, requestId }, deps);
  return campaign;
}

/** @throws FaultyDocumentError when a template names partners that the merchant of a partnership does not have */
async function requireKnownPartners(template: Template, partnership: Partnership, deps: WriteCampaignDeps) {
  const settings = await loadCampaignSettings(partnership, template.type, deps);
  const dates = { startsAt: template.createdAt, endsAt: null };
  const reader = { settings, before: null, organisationId: partnership.merchantId };
  const strangers = findStrangerFaults({ ...template, ...dates }, reader);
  if (strangers.length > 0) throw new FaultyDocumentError('the template', strangers);
}

/** Deletes a template of the acting organisation. Campaigns that were made from it stay. @throws NotFoundError */
export async function deleteTemplate(
  { templateId, as }: { readonly templateId: number; readonly as: ActingOrganisation },
  deps: AuditedDeps,
): Promise<void> {
  await writeAudited(
    {
      what: `deleted template ${templateId} as ${actingText(as)}`,
      writes: [templateDeletion(as.id, templateId), ...authorChecks(deps)],
      conflict: () => new NotFoundError(templateSubject(templateId), { within: actingSubject(as) }),
    },
    deps,
  );
}

/** Campaigns and templates share a sequence, so a campaign and a template never have the same id. */
const leaseId = ({ sequences }: WriteCampaignDeps) => sequences.lease('campaign', 1);

async function writeTemplate(template: Template, what: string, deps: AuditedDeps): Promise<void> {
  await writeAudited(
    {
      what,
      writes: [{ ...templateWrite(template), when: isNew }, ...authorChecks(deps)],
      conflict: () => new AlreadyExistsError(templateSubject(template.id)),
    },
    deps,
  );
}

const templateSubject = (id: number): Subject => ({ kind: 'template', id });
