import { describe, expect, it } from 'vitest';
import { readFilters, toCampaignFilter } from '../../dashboard/src/screens/campaigns/filters.ts';

describe('the filters of an address', () => {
  it('become the filters of the server', () => {
    const filters = readFilters({ state: 'waiting', type: 'EARN', partnership: 'a-uuid', text: ' spring ' });
    expect(toCampaignFilter(filters)).toEqual({
      ...{ waiting: 'anyone', type: 'EARN', partnership: 'a-uuid', text: 'spring' },
    });
    expect(toCampaignFilter(readFilters({ state: 'paused' }))).toEqual({ status: 'PAUSED' });
  });

  it('find a campaign by its id, which the router reads as a number', () => {
    expect(toCampaignFilter(readFilters({ text: 17 }))).toEqual({ text: '17' });
  });

  it('are left out when they are unknown', () => {
    expect(readFilters({ state: 'all', type: 'CASHBACK', partnership: 5, text: '', else: 'x' })).toEqual({});
  });
});
