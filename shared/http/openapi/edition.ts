import type { Host } from '../../contracts/contract.ts';
import type { Edition } from './document.ts';

/** The edition for readers who have no host at hand: each partner is told the addresses of its two environments. */
export function publishedEdition(host: Host): Edition {
  return {
    version: '1.0.0',
    servers: [
      { url: `https://${host}.sandbox.rewards.example`, description: 'Sandbox (placeholder)' },
      { url: `https://${host}.rewards.example`, description: 'Production (placeholder)' },
    ],
  };
}
