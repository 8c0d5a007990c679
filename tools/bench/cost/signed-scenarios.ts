import { createHmac } from 'node:crypto';
import { contract as receivePayment } from '../../../functions/base/receive-payment/contract.ts';
import { contract as reportFromProgram } from '../../../functions/base/report-from-program/contract.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { connectProgram } from '../../../shared/operations/organisation/manage-program.ts';
import { provisionOrganisation } from '../../../shared/operations/organisation/provision-organisation.ts';
import { connectPaymentAccount } from '../../../shared/operations/payment/manage-payments.ts';
import { openProgramSecrets } from '../../../shared/programs/programs.ts';
import { keyOfSecret, standardHeaders } from '../../../shared/webhooks/standard-webhooks.ts';
import { type CostWorld, type Scenario, scenario } from './world.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** A partner that runs its own program, which has one member. The measured requests do not call the program. */
async function partnerWithProgram({ platform, demo }: CostWorld, nth: number) {
  const wanted = { name: `Own program ${nth}`, kind: 'PARTNER' } as const;
  const { organisation } = await provisionOrganisation(wanted, platform);
  const deps = { ...platform, secrets: openProgramSecrets(platform) };
  await connectProgram(String(organisation.id), { baseUrl: 'https://program.example/', secret, isUntried: true }, deps);
  const memberId = `OWN-${nth}`;
  await createMember(
    {
      ...{ firstName: 'Mary', lastName: 'Somerville', email: 'mary@example.com' },
      merchant: { id: demo.merchant.id, externalId: memberId },
      program: { partnerId: organisation.id, externalId: memberId, statusTierId: null, points: 0 },
    },
    platform,
  );
  return { partnerId: organisation.id, memberId };
}

/** The scenarios of endpoints whose callers sign their requests: partners' own programs and payment platforms. */
export const signedScenarios: readonly Scenario[] = [
  scenario(reportFromProgram, '', async (world, nth) => {
    const { partnerId, memberId } = await partnerWithProgram(world, nth);
    const body = JSON.stringify({ type: 'balance.changed', data: { member_id: memberId } });
    const signed = standardHeaders({ id: `report-${nth}`, body, signedAt: new Date() }, [keyOfSecret(secret)]);
    return {
      params: { partner_id: String(partnerId) },
      headers: { ...signed, 'Content-Type': 'application/json' },
      body,
    };
  }),
  scenario(receivePayment, '', async ({ demo, platform }, nth) => {
    const account = `M${nth}`;
    const webhook = { notificationUrl: 'https://hooks.example/square', signingKey: secret };
    const settings = { merchant: String(demo.merchant.id), platform: 'square', account, capture: 'automatic' } as const;
    await connectPaymentAccount({ ...settings, ...webhook }, platform);
    const body = JSON.stringify({ merchant_id: account, type: 'payment.updated' });
    const signed = createHmac('sha256', secret).update(webhook.notificationUrl + body);
    return {
      params: { payment_platform: 'square', payment_account: account },
      headers: { 'x-square-hmacsha256-signature': signed.digest('base64') },
      body,
    };
  }),
];
