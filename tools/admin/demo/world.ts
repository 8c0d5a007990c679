import type { Platform } from '../../../shared/runtime/platform.ts';
import { readCampaignFile } from '../campaign-file.ts';
import type { NewMember } from '../make/member.ts';
import type { NewTrigger } from '../make/trigger.ts';
import {
  provisionMember,
  provisionOrganisation,
  provisionPartnership,
  provisionProgramAccount,
  provisionUserTokens,
} from '../provision.ts';
import { provisionCampaign, provisionTemplate } from '../provision-campaigns.ts';
import { provisionTrigger } from '../provision-triggers.ts';
import { readTemplateFile } from '../template-file.ts';

/**
 * Makes what tests live in, and the demonstration (showcase.ts) as well: the credentials of it are told. Here
 * purchases alone earn, so that tests add what else they are about.
 */
export async function makeDemoWorld(platform: Platform) {
  const merchant = await provisionOrganisation(platform, {
    name: 'Corner Coffee',
    kind: 'MERCHANT',
    redirectUris: ['http://127.0.0.1:8080/connected', 'https://corner-coffee.example/connected'],
  });
  const partner = await provisionOrganisation(platform, { name: 'Skyline Miles', kind: 'PARTNER' });
  const outsider = await provisionOrganisation(platform, { name: 'Harbour Books', kind: 'MERCHANT' });

  const partnership = await provisionPartnership(platform, {
    name: 'Corner Coffee × Skyline Miles',
    description: 'Miles with every cup.',
    merchantId: merchant.id,
    partnerId: partner.id,
    allowsCashback: true,
  });
  const earn = await provisionCampaign(platform, partnership, await demoCampaign('earn'));
  const redeem = await provisionCampaign(platform, partnership, await demoCampaign('redeem'));

  // What operators of campaigns begin with: a template for everybody, and one of the merchant's own.
  await provisionTemplate(platform, 'platform', await demoTemplate('earn'));
  await provisionTemplate(platform, { merchantId: merchant.id }, await demoTemplate('welcome-template'));
  const trigger = await provisionTrigger(platform, partnership, signupCompleted);

  await provisionProgramAccount(platform, partner.id, unlinkedAccount);

  const members = [];
  for (const wanted of demoMembers(merchant.id, partner.id)) members.push(await makeDemoMember(platform, wanted));
  return {
    merchant,
    partner,
    outsider,
    partnership: { uuid: partnership.uuid },
    trigger: { name: trigger.name, context: signupContext },
    campaigns: { earn: earn.id, redeem: redeem.id },
    members,
  };
}

/** What partners tell when somebody signed up. Nothing is required, and they may tell more. */
const signupCompleted: NewTrigger = {
  name: 'signup_completed',
  description: 'Somebody signed up for a plan.',
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

/** Grace's account in the program, which she has not linked yet. */
const unlinkedAccount = {
  memberId: 'SKY-77002',
  pin: '2468',
  firstName: 'Grace',
  lastName: 'Murray',
  email: 'grace@example.com',
  statusTierId: 1,
  points: 1_200,
};

function demoCampaign(name: string) {
  return readCampaignFile(new URL(`./${name}.json`, import.meta.url));
}

function demoTemplate(name: string) {
  return readTemplateFile(new URL(`./${name}.json`, import.meta.url));
}

/** One is linked to the partner and can pay with points, one belongs to no program yet. */
function demoMembers(merchantId: number, partnerId: number): (NewMember & { readonly stripeCustomer: string })[] {
  return [
    {
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'ada@example.com',
      merchant: { id: merchantId, externalId: 'cc-1001' },
      program: { partnerId, externalId: 'SKY-77001', statusTierId: 2, points: 25_000 },
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

async function makeDemoMember(platform: Platform, wanted: NewMember & { readonly stripeCustomer: string }) {
  const member = await provisionMember(platform, wanted);
  const tokens = await provisionUserTokens(platform, member, wanted.merchant.id);
  return {
    id: member.user.id,
    uuid: member.user.uuid,
    ...tokens,
    externalId: wanted.merchant.externalId,
    stripeCustomer: wanted.stripeCustomer,
    points: wanted.program?.points ?? 0,
  };
}
