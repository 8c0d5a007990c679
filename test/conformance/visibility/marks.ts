import type { Scene, Side } from './scene.ts';

/** Marker texts, and the sides that may see each. */
function marks({
  members,
  shared,
  partnerships,
  organisations,
  webhook,
}: Scene): [mark: string, to: readonly Side[]][] {
  const own: Side[] = ['own', 'partner'];
  const sibling: Side[] = ['sibling', 'partner'];
  return [
    ['cc-1001', own],
    ['cc-1002', own],
    ['Shared-1001', own],
    ['ada@example.com', own],
    [members.own.user.uuid, own],
    [partnerships.own.uuid, own],
    ['Corner Coffee', own],
    ['Deleted', []],
    ['Orphaned', []],
    [shared.user.uuid, [...own, 'sibling']],
    ['Sibling-2002', sibling],
    ['Sibling-1001', sibling],
    ['Sibling', sibling],
    ['Bakers weeks', ['sibling']],
    ['Welcome weeks', ['own']],
    [members.sibling.user.uuid, sibling],
    [partnerships.sibling.uuid, sibling],
    ['Elsewhere', ['elsewhere']],
    [partnerships.elsewhere.uuid, ['elsewhere']],
    ['Unrelated', ['unrelated']],
    ['Harbour Books', ['unrelated']],
    [webhook.subscriptionId, ['own']],
    [webhook.eventId, ['own']],
    [webhook.replayId, ['own']],
    [organisations.own.apiKey, []],
    [organisations.own.clientSecret, []],
  ];
}

/** Returns the markers that no reply to a side may contain. */
export function foreignMarks(scene: Scene, side: Side): string[] {
  return marks(scene)
    .filter(([, to]) => !to.includes(side))
    .map(([mark]) => mark);
}
