import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { prepareReplies } from '../../shared/http/reply.ts';

const withCredential = contracts.filter(({ credential }) => !['connectToken', 'none'].includes(credential.kind));

describe.each(contracts)('replies of $method $path on the host $host', (contract) => {
  const { success, failure } = prepareReplies(contract);
  const { example, envelope } = contract;
  const replies = [
    failure(new Error('unforeseen'), 'request-1'),
    ...(example && envelope !== 'page' ? [success(example.reply, 'request-1')] : []),
  ];

  it(`${contract.isForBrowsers ? 'may' : 'may not'} be read by pages of other origins`, () => {
    for (const { headers } of replies) {
      expect(headers['Access-Control-Allow-Origin']).toBe(contract.isForBrowsers ? '*' : undefined);
      expect(headers).not.toHaveProperty('Access-Control-Allow-Credentials');
    }
  });
});

it('endpoints whose callers send a credential in a header are not for browsers', () => {
  expect(withCredential.filter(({ isForBrowsers }) => isForBrowsers)).toEqual([]);
});
