import type { LocalPlatform } from './local-platform.ts';

/** Has the first member of the demonstration buy something for $42.50. Returns the points that the campaign gives. */
export async function buy({ hosts, demo }: LocalPlatform, campaignId: number): Promise<number> {
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': demo.members[0]?.accessToken ?? '', 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    // biome-ignore lint/suspicious/noExplicitAny: compared by the tests
    return ((await (await fetch(`${hosts.reward}${path}`, init)).json()) as any).data;
  };
  const { authentication_id } = await post('/reward_transaction/auth', {
    transaction_amount: 42.5,
    external_transaction_id: `browser-${campaignId}`,
    campaign_id: campaignId,
  });
  const created = await post('/reward_transaction/create', { reward_authentication_token: authentication_id });
  return created.reward_transactions[0].reward_amount;
}
