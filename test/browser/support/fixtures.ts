/** Example data for pictures: ordinary names, long ones, and every state. */

const day = 24 * 60 * 60 * 1_000;
const at = (days: number) => new Date(Math.round(Date.now() / 60_000) * 60_000 + days * day).toISOString();

const corner = { id: 1, name: 'Corner Coffee' };
const skyline = { id: 2, name: 'Skyline Miles' };
const long = { id: 3, name: 'The Worshipful Company of Extraordinarily Loyal Customers of the Northern Territories' };

const choices = {
  allows_cashback: true,
  programs: [skyline],
  triggers: [],
  attributes: [{ name: 'plan', type: 'text', values: ['monthly', 'yearly'] }],
  tiers: [
    { id: 1, name: 'Silver', order: 1 },
    { id: 2, name: 'Gold', order: 2 },
  ],
};

export const partnerships = [
  {
    ...choices,
    uuid: '01900000-0000-7000-8000-000000000001',
    merchant: corner,
    partner: skyline,
    time_zone: 'America/New_York',
  },
  {
    ...choices,
    uuid: '01900000-0000-7000-8000-000000000002',
    merchant: corner,
    partner: long,
    time_zone: 'Europe/Berlin',
  },
];

export const session = {
  person: { id: 'ann', name: 'Ann Owner', email: 'ann@corner.example', authenticated_at: at(0) },
  stage: 'local',
  organisations: [
    {
      organisation_id: 1,
      name: 'Corner Coffee',
      roles: ['owner', 'editor'],
      permissions: [
        'organisation:read',
        'people:read',
        'audit:read',
        'campaigns:read',
        'people:write',
        'campaigns:write',
        'campaigns:approve',
        'templates:write',
        'settings:write',
      ],
    },
    {
      organisation_id: 2,
      name: 'Skyline Miles',
      roles: ['approver'],
      permissions: ['campaigns:read', 'campaigns:approve'],
    },
  ],
  invitations: [],
};

/** What the API says of a person who is not signed in. */
export const ownInvitations = [{ id: 'i9', organisation_id: 3, name: long.name, roles: ['editor', 'approver'] }];

export const noSession = { person: null, stage: 'local', organisations: [], invitations: [] };

export const organisation = { id: 1, name: 'Corner Coffee', kind: 'MERCHANT', four_eyes: true, revision: 3 };

const document = {
  name: 'Spring double',
  description: 'Twice the points in spring, half as much again for Gold.',
  logo: null,
  type: 'EARN',
  startsAt: at(-30),
  endsAt: at(60),
  flows: [
    {
      id: 1,
      trigger: { type: 'SPEND' },
      actions: [{ id: 2, ownerId: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }],
      conditionGroups: [
        {
          id: 3,
          logic: 'ANY',
          conditions: [
            { id: 4, ownerId: 1, attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['Austin, TX'] },
            { id: 5, ownerId: 1, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 2_500 },
          ],
        },
      ],
      multipliers: [
        { id: 6, ownerId: 1, attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [2], factorBp: 15_000 },
      ],
      limits: [{ id: 7, ownerId: 2, kind: 'USER', bound: 'MAXIMUM', unit: 'POINTS', amount: 500, period: 'MONTH' }],
      reevaluateOnRefund: false,
    },
  ],
  goals: [{ id: 8, ownerId: 1, type: 'POINTS_EARNED', target: 1_000_000 }],
};

const [flow] = document.flows;

/** The same, unfinished. */
const unfinished = {
  ...document,
  endsAt: at(-40),
  flows: [
    {
      ...flow,
      actions: [],
    },
  ],
};

/** The documents of campaigns that differ from the first one in more than their names. */
const documents: Readonly<Record<number, object>> = { 13: unfinished, 17: { startsAt: at(3) } };

const base = {
  partnership: partnerships[0],
  starts_at: at(-30),
  ends_at: at(60),
  revision: 7,
  has_next_version: false,
  faults: 0,
  waits_for: [],
  is_in_review: false,
  is_waiting_for_you: false,
  points: 0,
  totals: { earned_points: 0, redeemed_points: 0, cashback_cents: 0, transactions: 0, registrations: 0 },
  goals: [] as unknown[],
};

export const campaigns = [
  {
    ...base,
    id: 11,
    name: 'Spring double',
    type: 'EARN',
    status: 'ACTIVE',
    points: 412_300,
    totals: { ...base.totals, earned_points: 412_300, transactions: 9_840, registrations: 1_312 },
    goals: [{ type: 'POINTS_EARNED', target: 1_000_000, current: 412_300, is_reached: false }],
  },
  {
    ...base,
    id: 12,
    name: 'Welcome back',
    type: 'EARN',
    status: 'IN_REVIEW',
    starts_at: at(3),
    ends_at: null,
    is_in_review: true,
    is_waiting_for_you: true,
    waits_for: [corner],
  },
  { ...base, id: 13, name: 'Free coffee', type: 'EARN', status: 'DRAFT', starts_at: null, ends_at: null, faults: 2 },
  {
    ...base,
    id: 14,
    name: 'A campaign with a name that somebody wrote in the same field in which a description would have been possible',
    type: 'TRANSFER',
    status: 'SCHEDULED',
    partnership: partnerships[1],
    starts_at: at(5),
  },
  {
    ...base,
    id: 15,
    name: 'Gold weekends',
    type: 'EARN',
    status: 'PAUSED',
    has_next_version: true,
    is_in_review: true,
    waits_for: [skyline],
    points: 88_120,
  },
  {
    ...base,
    id: 17,
    name: 'Summer miles',
    type: 'EARN',
    status: 'DRAFT',
    starts_at: null,
    waits_for: [corner, skyline],
  },
  { ...base, id: 16, name: 'Link and win', type: 'CONNECT_ONLY', status: 'ENDED', ends_at: at(-2), points: 1_204_500 },
  ...Array.from({ length: 12 }, (_, position) => ({
    ...base,
    id: 100 + position,
    name: `Weekday treats ${position + 1}`,
    type: 'EARN',
    status: 'ENDED',
    starts_at: at(-400),
    ends_at: at(-90 - position * 7),
    points: 12_000 * (position + 1),
  })),
];

const acts = ['edit', 'submit', 'approve', 'reject', 'pause', 'duplicate', 'create_template', 'end', 'delete'] as const;

/** What was done with a campaign. */
export const campaignActs = [
  { organisation: corner, person: 'Eve Editor', at: at(-0.1), act: 'edit', reason: null, revision: 7 },
  { organisation: corner, person: 'Eve Editor', at: at(-0.1), act: 'edit', reason: null, revision: 6 },
  { organisation: skyline, person: null, at: at(-30), act: 'approve', reason: null, revision: 5 },
  { organisation: corner, person: 'Olivia Hart', at: at(-31), act: 'approve', reason: null, revision: 4 },
  { organisation: skyline, person: null, at: at(-32), act: 'reject', reason: 'Too many points', revision: 3 },
  { organisation: corner, person: 'Eve Editor', at: at(-33), act: 'submit', reason: null, revision: 2 },
  { organisation: corner, person: 'Eve Editor', at: at(-33), act: 'create', reason: null, revision: 1 },
];

/** One campaign in full. */
export function campaignOf(id: number) {
  const summary = campaigns.find((campaign) => campaign.id === id) ?? campaigns[0];
  const isLive = !['DRAFT', 'IN_REVIEW'].includes(summary?.status ?? '');
  const hasDraft = !isLive || summary?.has_next_version;
  const written = { ...document, ...documents[id], name: summary?.name, type: summary?.type };
  return {
    ...summary,
    revision: 7,
    changed: { organisation: corner, person: 'Eve Editor', at: at(-0.1) },
    draft: !hasDraft
      ? null
      : {
          document: written,
          approvals: [{ organisation: skyline, person: 'Sky Approver', at: at(-1) }],
          rejection:
            id === 13 ? { organisation: skyline, reason: 'Two points are too many for us in June.', at: at(-2) } : null,
          faults:
            id === 13
              ? [
                  {
                    pointer: '/flows/0/actions',
                    code: 'no_action',
                    message: 'Without an action the flow rewards nothing: add at least one',
                  },
                  { pointer: '/endsAt', code: 'ends_before_start', message: 'The end is before the start' },
                ]
              : [],
          differences: [
            { pointer: '/flows/0/actions/0', label: 'Points per $1', old: '2 points', new: '3 points' },
            { pointer: '/endsAt', label: 'End', old: null, new: '31 May 2027, 00:00 New York' },
          ],
        },
    live: isLive ? { document: written, version: 2, status: summary?.status } : null,
    acts: acts.map((act) => ({ act, is_allowed: allowed(act, summary), reason: null })),
    versions: isLive
      ? [
          {
            version: 2,
            approved_at: at(-3),
            approvals: [{ organisation: skyline, person: 'Sky Approver', at: at(-3) }],
            differences: [{ pointer: '/name', label: 'Name', old: 'Spring', new: 'Spring double' }],
          },
          {
            version: 1,
            approved_at: at(-30),
            approvals: [{ organisation: skyline, person: null, at: at(-30) }],
            differences: [],
          },
        ]
      : [],
  };
}

function allowed(act: string, summary: { readonly status: string; readonly is_waiting_for_you: boolean } | undefined) {
  if (act === 'approve' || act === 'reject') return summary?.is_waiting_for_you === true;
  if (act === 'submit') return summary?.status === 'DRAFT';
  if (act === 'pause') return summary?.status === 'ACTIVE';
  return true;
}

export const templates = [
  {
    id: 1,
    name: 'Points for every purchase',
    description: 'The plain one: points per dollar, all year.',
    type: 'EARN',
    owner: null,
    document,
  },
  {
    id: 2,
    name: 'Welcome',
    description: 'Points for the first link of an account.',
    type: 'EARN',
    owner: null,
    document,
  },
  { id: 3, name: 'Our weekend offer', description: null, type: 'EARN', owner: corner, document },
];

export const people = {
  people: [
    {
      id: 'ann',
      name: 'Ann Owner',
      email: 'ann@corner.example',
      roles: ['owner', 'editor'],
      revision: 1,
      created_at: at(-200),
    },
    { id: 'eve', name: 'Eve Editor', email: 'eve@corner.example', roles: ['editor'], revision: 2, created_at: at(-20) },
    {
      id: 'dev',
      name: null,
      email: 'a.developer.with.a.remarkably.long.address@subsidiary.corner-coffee-holdings.example',
      roles: ['developer', 'analyst', 'approver'],
      revision: 1,
      created_at: at(-1),
    },
  ],
  invitations: [{ id: 'i1', email: 'noah@corner.example', roles: ['approver'], revision: 1, expires_at: at(6) }],
};

const ann = { id: 'ann', name: 'Ann Owner', email: 'ann@corner.example' };

export const audit = [
  {
    id: 'a1',
    at: at(0),
    person: ann,
    roles: ['owner'],
    act: 'change settings',
    outcome: 'done',
    what: 'changed the settings of the organisation',
    change: { before: { fourEyes: false }, after: { fourEyes: true } },
  },
  {
    id: 'a2',
    at: at(-0.2),
    person: ann,
    roles: ['owner', 'editor'],
    act: 'approve campaign',
    outcome: 'refused',
    what: 'lacks the permission campaigns:approve',
    change: null,
  },
  {
    id: 'a3',
    at: at(-1),
    person: null,
    roles: ['editor'],
    act: 'edit campaign',
    outcome: 'done',
    what: 'changed campaign 11 as organisation 1',
    change: null,
  },
];
