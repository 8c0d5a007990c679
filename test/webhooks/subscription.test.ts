import { describe, expect, it } from 'vitest';
import { type EventName, entityTypes, eventNames } from '../../shared/contracts/events.ts';
import {
  matchingSubscriptions,
  readableEntityTypes,
  type Selector,
  selectedEntityTypes,
  selectorMatches,
} from '../../shared/webhooks/subscription.ts';
import { anEvent, aSubscription } from './fixtures.ts';

const { USER, CAMPAIGN, TRANSACTION, WEBHOOK, ORDER } = entityTypes;

describe('selectorMatches()', () => {
  const cases: [string, Selector, EventName[]][] = [
    ['nothing', {}, [...eventNames]],
    ['users', { entityType: USER }, ['user_partner_authentication_created']],
    ['campaigns', { entityType: CAMPAIGN }, ['campaign_updated', 'campaign_activated', 'campaign_ended']],
    [
      'transactions',
      { entityType: TRANSACTION },
      ['transaction_authenticated', 'transaction_created', 'transaction_status_updated'],
    ],
    ['orders', { entityType: ORDER }, ['order_processed', 'order_rejected']],
    ['an event', { eventName: 'campaign_ended' }, ['campaign_ended']],
    ['an event and its entity', { eventName: 'campaign_ended', entityType: CAMPAIGN }, ['campaign_ended']],
    ['an event and another entity', { eventName: 'campaign_ended', entityType: USER }, []],
  ];

  it.each(cases)('returns true for exactly the expected events with a selector of %s', (_, selector, selected) => {
    expect(eventNames.filter((name) => selectorMatches(selector, name))).toEqual(selected);
  });
});

describe('matchingSubscriptions()', () => {
  const event = anEvent({ name: 'transaction_created' });
  const endpointUrl = 'https://one.example.com/';
  const all = aSubscription({ endpointUrl });
  const byEntity = aSubscription({ endpointUrl, entityType: TRANSACTION });
  const byEvent = aSubscription({ endpointUrl, eventName: 'transaction_created' });
  const byBoth = aSubscription({ endpointUrl, eventName: 'transaction_created', entityType: TRANSACTION });
  const byOther = aSubscription({ endpointUrl, eventName: 'campaign_ended' });

  it.each([
    ['a subscription to everything when it is the only one', [all], all],
    ['a subscription to the entity over one to everything', [all, byEntity], byEntity],
    ['a subscription to the event over one to the entity', [byEntity, byEvent, all], byEvent],
    ['a subscription to event and entity over one to the event', [all, byEvent, byBoth, byEntity], byBoth],
    ['a subscription that matches over one that does not', [byOther, all], all],
  ])('for a URL, chooses %s', (_, subscriptions, heardBy) => {
    expect(matchingSubscriptions(event, subscriptions)).toEqual([heardBy]);
    expect(matchingSubscriptions(event, subscriptions.toReversed())).toEqual([heardBy]);
  });

  it('returns one subscription for every URL, in a fixed sequence', () => {
    const others = Array.from({ length: 5 }, (_, index) =>
      aSubscription({ endpointUrl: `https://${index}.example.com/`, entityType: TRANSACTION }),
    );
    const heard = matchingSubscriptions(event, [all, ...others]);
    expect(new Set(heard)).toEqual(new Set([all, ...others]));
    expect(matchingSubscriptions(event, [...others.toReversed(), all])).toEqual(heard);
  });

  it('omits a subscription whose key may not read the entity of the event', () => {
    const blind = aSubscription({ readableEntityTypes: [USER, CAMPAIGN] });
    expect(matchingSubscriptions(event, [blind])).toEqual([]);
    expect(matchingSubscriptions(anEvent({ name: 'campaign_ended' }), [blind])).toEqual([blind]);
  });

  it('chooses the subscription whose key may read the entity', () => {
    const blind = aSubscription({ endpointUrl, eventName: 'transaction_created', readableEntityTypes: [] });
    expect(matchingSubscriptions(event, [blind, all])).toEqual([all]);
  });
});

describe('the entity types of a subscription', () => {
  it.each([
    [['users:read'], [USER]],
    [['campaigns:read', 'webhooks:write'], [CAMPAIGN]],
    [
      ['transactions:read', 'users:read'],
      [USER, TRANSACTION],
    ],
    [['webhooks:write', 'triggers:write'], []],
    [['webhooks:read'], [WEBHOOK]],
    [['orders:read', 'orders:write'], [ORDER]],
  ])('are found by readableEntityTypes() from the permissions %j', (permissions, types) => {
    expect(readableEntityTypes(permissions)).toEqual(types);
  });

  it.each([
    [{}, [USER, CAMPAIGN, TRANSACTION, WEBHOOK, ORDER]],
    [{ entityType: CAMPAIGN }, [CAMPAIGN]],
    [{ eventName: 'transaction_created' as const }, [TRANSACTION]],
  ])('are found by selectedEntityTypes() from the selector %j', (selector, types) => {
    expect(selectedEntityTypes(selector)).toEqual(types);
  });
});
