import { readFile } from 'node:fs/promises';
import { offerTemplate } from '../../../shared/operations/campaign/manage-templates.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { createMember, type NewMember } from '../../../shared/operations/member/manage-members.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import {
  type ProvisionedOrganisation,
  provisionOrganisation,
} from '../../../shared/operations/organisation/provision-organisation.ts';
import { createTrigger, type TriggerSettings } from '../../../shared/operations/partnership/configure-trigger.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { setAttribute, setTier } from '../../../shared/operations/registry/manage-registry.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';

/**
 * Creates the world of the tests, and returns its credentials. Its campaigns reward only purchases. Each test adds the
 * other campaigns that it needs.
 *
 * @param label a text that the names of the organisations begin with
 */
export async function makeDemoWorld(platform: Platform, label = '') {
  const merchant = await provision(platform, {
    name: `${label}Corner Coffee`,
    kind: 'MERCHANT',
    redirectUris: ['http://127.0.0.1:8080/connected', 'https://corner-coffee.example/connected'],
  });
  const partner = await provision(platform, { name: `${label}Skyline Miles`, kind: 'PARTNER' });
  const outsider = await provision(platform, { name: `${label}Harbour Books`, kind: 'MERCHANT' });

  const partnership = await createPartnership(
    {
      name: `${label}Corner Coffee × Skyline Miles`,
      description: 'Miles with every cup.',
      merchantId: merchant.id,
      partnerId: partner.id,
      allowsCashback: true,
    },
    platform,
  );
  await registerDemoTiers(partner.id, platform);
  await registerDemoAttributes(merchant.id, platform);
  const origin = { partnership, as: { id: partner.id } };
  const earn = await launchCampaign(await demoDocument('earn'), origin, platform);
  const redeem = await launchCampaign(await demoDocument('redeem'), origin, platform);

  // Authors of campaigns start from a template. The world has one template of the platform and one of the merchant.
  await offerTemplate(await demoDocument('earn'), 'platform', platform);
  await offerTemplate(await demoDocument('welcome-template'), { merchantId: merchant.id }, platform);
  const trigger = await createTrigger(partnership, signupCompleted, platform);

  await openProgramAccount(partner.id, unlinkedAccount, platform);

  const members = [];
  for (const wanted of demoMembers(merchant.id, partner.id)) members.push(await createDemoMember(platform, wanted));
  return {
    merchant,
    partner,
    outsider,
    partnership: { uuid: partnership.uuid },
    trigger: { name: trigger.name, context: signupContext },
    campaigns: { earn: earn.id, redeem: redeem.id },
    members,
    /** An account of the partner's program that no member has linked yet. */
    unlinkedAccount: { partnerId: partner.id, memberId: unlinkedAccount.memberId, pin: unlinkedAccount.pin },
  };
}

/** Creates the world of the demonstration. */
export const makeShowcase = async (platform: Platform) => addShowcase(await makeDemoWorld(platform), platform);

type DemoWorld = Awaited<ReturnType<typeof makeDemoWorld>>;

/**
 * Turns the world of the tests into the demonstration: launches a campaign for each kind of reward event. The added
 * campaigns do not affect tests with purchases up to $100: the cashback of these campaigns begins above $100.
 */
export async function addShowcase(world: DemoWorld, platform: Platform) {
  const partnership = await platform.partnerships.find(world.partnership.uuid);
  if (!partnership) throw new Error(`there is no partnership ${world.partnership.uuid}`);
  const launch = async (name: string, organisationId = partnership.partnerId) => {
    const origin = { partnership, as: { id: organisationId } };
    return (await launchCampaign(await demoDocument(name), origin, platform)).id;
  };
  const campaigns = {
    ...world.campaigns,
    welcome: await launch('welcome'),
    referral: await launch('referral'),
    signup: await launch('signup'),
    cashback: await launch('cashback', partnership.merchantId),
  };
  return { ...world, campaigns };
}

/** Registers for a partner the tiers that the campaigns of the demonstration refer to. */
export async function registerDemoTiers(partnerId: number, platform: Platform): Promise<void> {
  await setTier(String(partnerId), { id: 1, name: 'Silver' }, platform);
  await setTier(String(partnerId), { id: 2, name: 'Gold' }, platform);
}

/** Registers for a merchant the attributes that campaigns and templates of the demonstration refer to. */
async function registerDemoAttributes(merchantId: number, platform: Platform): Promise<void> {
  const texts = { type: 'text' } as const;
  await setAttribute(String(merchantId), { ...texts, name: 'employer', values: null }, platform);
  await setAttribute(String(merchantId), { ...texts, name: 'plan', values: ['monthly', 'yearly'] }, platform);
}

async function provision(platform: Platform, wanted: Parameters<typeof provisionOrganisation>[0]) {
  return credentialsOf(await provisionOrganisation(wanted, platform));
}

/** The id, name and credentials of a new organisation. */
export const credentialsOf = ({ organisation, key, client }: ProvisionedOrganisation) => ({
  id: organisation.id,
  name: organisation.name,
  apiKey: key.secret,
  clientId: client.client.clientId,
  clientSecret: client.secret,
});

/** Reads the document of a campaign or template in this folder. */
async function demoDocument(name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(new URL(`./${name}.json`, import.meta.url), 'utf8'));
}

/** The merchant's event for a sign-up. No field is required, and unknown fields are allowed. */
const signupCompleted: TriggerSettings = {
  name: 'signup_completed',
  description: 'A member signed up for a plan.',
  contextSchema: {
    fields: {
      plan: { type: 'string', maximumLength: 50 },
      seats: { type: 'integer', minimum: 1, maximum: 1_000 },
      signed_up_at: { type: 'datetime' },
    },
    allowsOtherFields: true,
  },
};
const signupContext = { plan: 'monthly', seats: 1, signed_up_at: '2026-11-20T09:30:00Z' };

/** Grace's program account. It is not linked yet. */
const unlinkedAccount = {
  memberId: 'SKY-77002',
  pin: '246802',
  firstName: 'Grace',
  lastName: 'Murray',
  email: 'grace@example.com',
  statusTierId: 1,
  points: 1_200,
};

/** The accounts of Ada and Grace, in the form that the control call of a program server takes. */
export function programAccounts(): readonly object[] {
  const account = ({ memberId, pin, firstName, lastName, email, statusTierId, points }: typeof unlinkedAccount) => ({
    ...{ member_id: memberId, proof: pin, first_name: firstName, last_name: lastName, email },
    ...{ status_tier_id: statusTierId, balance: points },
  });
  const { program, ...ada } = linkedMember;
  const linked = { ...ada, ...program, memberId: program.externalId, pin: unlinkedAccount.pin };
  return [account(linked), account(unlinkedAccount)];
}

type DemoMember = NewMember & { readonly stripeCustomer: string };

/** Ada, with her account in the program. */
const linkedMember = {
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@example.com',
  program: { externalId: 'SKY-77001', statusTierId: 2, points: 25_000 },
};

/** Ada is linked to the partner and can pay with points. Grace is in no program yet. */
function demoMembers(merchantId: number, partnerId: number): DemoMember[] {
  return [
    {
      ...linkedMember,
      merchant: { id: merchantId, externalId: 'cc-1001' },
      program: { ...linkedMember.program, partnerId },
      stripeCustomer: 'cus_RewardsDemoAda',
    },
    {
      firstName: 'Grace',
      lastName: 'Murray',
      email: 'grace@example.com',
      merchant: { id: merchantId, externalId: 'cc-1002' },
      stripeCustomer: 'cus_RewardsDemoGrace',
    },
  ];
}

async function createDemoMember(platform: Platform, wanted: DemoMember) {
  const member = await createMember(wanted, platform);
  const { accessToken, refreshToken } = await issueUserTokens({ member, merchantId: wanted.merchant.id }, platform);
  return {
    id: member.user.id,
    name: `${wanted.firstName} ${wanted.lastName}`,
    uuid: member.user.uuid,
    accessToken,
    refreshToken,
    externalId: wanted.merchant.externalId,
    stripeCustomer: wanted.stripeCustomer,
    points: wanted.program?.points ?? 0,
  };
}
