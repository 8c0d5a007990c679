import { expect, it } from 'vitest';
import { inPlainWords } from '../../../shared/domain/campaign/forms/plain-words.ts';

it.each([
  [
    'A REDEEM campaign has REDEEM_POINTS or AWARD_CASHBACK, not AWARD_POINTS',
    'A “Redeem” campaign has “Pay with points” or “Award cashback”, not “Award points”',
  ],
  [
    'A CONNECT_ONLY flow begins with REGISTRATION, not with SPEND',
    'A “Connect only” flow begins with “New link”, not with “Purchase”',
  ],
  [
    'There is no country UK in ISO 3166: the United Kingdom is GB',
    'There is no country UK in ISO 3166: the United Kingdom is GB',
  ],
])('writes “%s” in the words of forms', (message, words) => {
  expect(inPlainWords(message)).toBe(words);
});
