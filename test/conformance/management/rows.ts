import { type StaffRole, staffRoles } from '../../../shared/domain/staff/roles.ts';
import type { Request } from '../../support/call.ts';
import type { World } from '../../support/world.ts';

/** The tenants: two parties of a partnership, and an organisation that belongs to neither. */
export interface Tenants {
  readonly world: World;
  /** The organisation in the path of every request. */
  readonly own: number;
  readonly otherSide: number;
  readonly outsider: number;
  /** A campaign of the own partnership, and one of the outsider. */
  readonly campaigns: { readonly own: number; readonly foreign: number };
  /** The id of a person of the other side. */
  readonly foreignStaffId: string;
  /** UUID of the outsider's partnership. */
  readonly foreignPartnership: string;
  /** A template that belongs to the outsider. */
  readonly templates: { readonly foreign: number };
}

type Parts = Pick<Request, 'params' | 'query' | 'body'>;

/** An endpoint as the matrix asks it, and what it promises. */
export interface Row {
  /** The roles that may do it. Everybody else of the organisation gets 403. */
  readonly may: readonly StaffRole[];
  /** What a person who is signed out gets; `401 not_signed_in` by default. */
  readonly signedOut?: string;
  /** A request about a thing of the own organisation, without the organisation's id. */
  readonly ask?: (tenants: Tenants) => Parts;
  /** Requests about things that a stranger owns, and one about a thing that does not exist. All get the same reply. */
  readonly hidden?: (tenants: Tenants) => readonly [absent: Parts, ...foreign: Parts[]];
}

const everybody = staffRoles;
const owners: readonly StaffRole[] = ['owner'];
const editors: readonly StaffRole[] = ['owner', 'editor'];
const approvers: readonly StaffRole[] = ['owner', 'approver'];

const nobody = '0190163d-8694-739b-aea5-966c26f8ad91';
const noCampaign = '987654';

/** The rows about one campaign: the other parameters and the body are the same for every campaign. */
const aboutCampaign = (parts: Parts = {}): Required<Pick<Row, 'ask' | 'hidden'>> => {
  const about = (id: number | string): Parts => ({ ...parts, params: { ...parts.params, id: String(id) } });
  return {
    ask: ({ campaigns }) => about(campaigns.own),
    hidden: ({ campaigns }) => [about(noCampaign), about(campaigns.foreign)],
  };
};
const act = (name: string) => aboutCampaign({ body: { act: name, reason: 'Too many points.' } });

const fromTemplate = ({ demo }: World, templateId: number | string): Parts => ({
  body: { partnership_uuid: demo.partnership.uuid, template_id: Number(templateId) },
});

const aTrigger = (partnership: string): Parts => ({
  params: { id: partnership, name: 'signup_completed' },
  body: { context_schema: { fields: {} } },
});

/** The rows about one person of the organisation. */
const aboutPerson = (parts: Parts = {}): Required<Pick<Row, 'ask' | 'hidden'>> => ({
  ask: () => ({ ...parts, params: { id: nobody } }),
  hidden: ({ foreignStaffId }) => [
    { ...parts, params: { id: nobody } },
    { ...parts, params: { id: foreignStaffId } },
  ],
});

/**
 * Every endpoint of the dashboard by its name. A name may be followed by a word, so an endpoint can have several rows. A
 * test fails for every endpoint without a row.
 */
export const rows: Readonly<Record<string, Row>> = {
  'get-organisation': { may: everybody },
  'change-settings': { may: owners, ask: () => ({ body: {} }) },
  'list-people': { may: everybody },
  'invite-person': { may: owners, ask: () => ({ body: { email: 'no address', roles: ['editor'] } }) },
  'change-roles': { may: owners, ...aboutPerson({ body: { roles: ['editor'] } }) },
  'remove-person': { may: owners, ...aboutPerson() },
  'list-audit': { may: owners },
  'export-audit': { may: owners },
  'list-campaigns': { may: everybody },
  'create-campaign from nothing': { may: editors, ask: () => ({ body: {} }) },
  'create-campaign as a copy': {
    may: editors,
    ask: () => ({ body: { campaign_id: Number(noCampaign) } }),
    hidden: ({ campaigns }) => [
      { body: { campaign_id: Number(noCampaign) } },
      { body: { campaign_id: campaigns.foreign } },
    ],
  },
  'create-campaign in a partnership': {
    may: editors,
    ask: () => ({ body: { partnership_uuid: nobody, document: {} } }),
    hidden: ({ foreignPartnership }) => [
      { body: { partnership_uuid: nobody, document: {} } },
      { body: { partnership_uuid: foreignPartnership, document: {} } },
    ],
  },
  'create-campaign from a template': {
    may: editors,
    ask: ({ world }) => fromTemplate(world, noCampaign),
    hidden: ({ world, templates }) => [fromTemplate(world, noCampaign), fromTemplate(world, templates.foreign)],
  },
  'list-partnerships': { may: everybody },
  'list-triggers': { may: everybody },
  'apply-trigger': {
    may: ['owner', 'developer'],
    ask: ({ world }) => aTrigger(world.demo.partnership.uuid),
    hidden: ({ foreignPartnership }) => [aTrigger(nobody), aTrigger(foreignPartnership)],
  },
  'list-templates': { may: everybody },
  'create-template': {
    may: editors,
    ask: () => ({ body: { campaign_id: Number(noCampaign) } }),
    hidden: ({ campaigns }) => [
      { body: { campaign_id: Number(noCampaign) } },
      { body: { campaign_id: campaigns.foreign } },
    ],
  },
  'delete-template': {
    may: editors,
    ask: () => ({ params: { id: noCampaign } }),
    hidden: ({ templates }) => [{ params: { id: noCampaign } }, { params: { id: String(templates.foreign) } }],
  },
  'get-campaign': { may: everybody, ...aboutCampaign() },
  'list-campaign-history': { may: everybody, ...aboutCampaign() },
  'get-version': { may: everybody, ...aboutCampaign({ params: { version: '1' } }) },
  'save-campaign': { may: editors, ...aboutCampaign({ body: { document: {} } }) },
  'delete-campaign': { may: editors, ...aboutCampaign() },
  'act-on-campaign submit': { may: editors, ...act('submit') },
  'act-on-campaign discard': { may: editors, ...act('discard') },
  'act-on-campaign approve': { may: approvers, ...act('approve') },
  'act-on-campaign reject': { may: approvers, ...act('reject') },
  'act-on-campaign pause': { may: approvers, ...act('pause') },
  'act-on-campaign resume': { may: approvers, ...act('resume') },
  'act-on-campaign activate': { may: approvers, ...act('activate') },
  'act-on-campaign end': { may: approvers, ...act('end') },
  'get-session': { may: everybody, signedOut: '200 ok' },
  'sign-out': { may: everybody, ask: () => ({ body: { everywhere: 'yes' } }) },
  'accept-invitation': { may: everybody, ask: () => ({ body: { invitation_id: nobody } }) },
};

/** The endpoints that need no session, each with the reason. */
export const openEndpoints: Readonly<Record<string, string>> = {
  'start-sign-in': 'sends the browser to the issuer, where the person proves who it is',
  'finish-sign-in': 'takes the proof of the issuer',
};
