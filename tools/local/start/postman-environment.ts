import type { PostmanEnvironment } from '../reference/live-page.ts';
import type { Demo } from './state.ts';

/** Fills the variables of the Postman collection for a running platform and its demonstration. */
export function postmanEnvironment(
  hosts: Readonly<Record<string, string>>,
  { merchant, partner, partnership, campaigns, trigger, program }: Demo,
): PostmanEnvironment {
  const values = {
    ...Object.fromEntries(Object.entries(hosts).map(([name, url]) => [`${name}_url`, url])),
    partner_key: merchant?.apiKey,
    client_id: merchant?.clientId,
    client_secret: merchant?.clientSecret,
    partnership_uuid: partnership?.uuid,
    partner_id: partner?.id,
    campaign_id: campaigns?.earn,
    trigger_name: trigger?.name,
    program_url: program?.url,
    // The demonstration registers this address. Nothing has to listen there.
    redirect_uri: 'http://127.0.0.1:8080/connected',
    webhook_url: 'http://127.0.0.1:8080/webhooks',
  };
  return {
    name: 'Rewards Platform (local)',
    values: Object.entries(values).map(([key, value = '']) => ({ key, value: String(value), enabled: true })),
  };
}
