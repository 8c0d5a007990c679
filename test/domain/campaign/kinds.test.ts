import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { descriptionOf } from '../../../shared/contracts/described.ts';
import {
  Action,
  actionKind,
  Condition,
  conditionKind,
  Goal,
  Limit,
  limitKind,
  Multiplier,
} from '../../../shared/domain/campaign/document/campaign.ts';
import type { Kind } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { say, textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import {
  actionKinds,
  conditionKinds,
  goalKinds,
  limitKinds,
  multiplierKinds,
} from '../../../shared/domain/campaign/document/kinds/registry.ts';
import * as codes from '../../../shared/http/views/campaign-codes.ts';
import { fileHelp } from '../../../tools/admin/commands/campaign-file-help.ts';
import { facts, settings } from '../fixtures.ts';

/** Each family of parts: its kinds, the schema of any part of the family, the wire codes of its kinds. */
const families = [
  { family: 'condition', kinds: conditionKinds, union: Condition, codes: codes.conditionTypeCodes },
  { family: 'action', kinds: actionKinds, union: Action, codes: codes.actionTypeCodes },
  { family: 'multiplier', kinds: multiplierKinds, union: Multiplier, codes: codes.multiplierAttributeCodes },
  { family: 'limit', kinds: limitKinds, union: Limit, codes: codes.limitTypeCodes },
  { family: 'goal', kinds: goalKinds, union: Goal, codes: codes.goalTypeCodes },
];
const wireFields: Readonly<Record<string, z.ZodMiniType>> = {
  condition: codes.conditionType,
  action: codes.actionType,
  multiplier: codes.multiplierAttribute,
  limit: codes.limitType,
  goal: codes.goalType,
};
const kinds = families.flatMap(({ kinds: all, ...family }) =>
  (all as readonly Kind[]).map((kind) => ({ ...family, kind, name: kind.name })),
);
const numbered = (part: object) => ({ id: 1, ownerId: 2, ...part });

describe('every kind of campaign part', () => {
  it.each(families)('has a unique name and wire code ($family)', ({ kinds: all }) => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
    for (const { code } of all) expect(code).toBeGreaterThanOrEqual(1);
  });

  it.each(kinds)('has only examples that the schema accepts ($family $name)', ({ kind, union }) => {
    for (const { part, note } of kind.examples) {
      expect(union.safeParse(numbered(part))).toMatchObject({ success: true });
      expect(Object.values(part)).toContain(kind.name);
      expect(note).not.toBe('');
    }
  });

  it.each(kinds)(
    'is listed in the wire codes and in the description of their field ($family $name)',
    ({ kind, family, ...made }) => {
      expect(made.codes).toMatchObject({ [kind.name]: kind.code });
      expect(descriptionOf(wireFields[family])).toContain(`${kind.code} ${kind.name}`);
    },
  );

  it.each(kinds)('is listed in the help of campaign files ($family $name)', ({ kind }) => {
    expect(fileHelp).toContain(`"${kind.name}"`);
    for (const { note } of kind.examples) expect(fileHelp).toContain(note);
  });
});

const context = { type: 'EARN', trigger: { type: 'SPEND' }, settings: settings(), at: '/part' } as const;

describe('every kind of condition', () => {
  it.each(conditionKinds)(
    'can be evaluated, explained and tested again after a refund ($name)',
    ({ name, examples }) => {
      const kind = conditionKind(name);
      const part = Condition.parse(numbered(examples[0].part));
      const found = kind.find(part, facts());
      const needed = kind.needed(part);

      expect(found.holds).toBeTypeOf('boolean');
      expect(kind.unit === null).toBe(Array.isArray(needed));
      const words = (operator: string, value: string) =>
        textOf(kind.words({ operator, needed: say`${value}`, name: [] }));
      expect(words(part.operator, 'so much')).toContain('so much');
      expect(words('IS_IN', '')).not.toMatch(/undefined|null/);
      expect(kind.faults(part, context)).toEqual([]);
      const judged = {
        operator: part.operator,
        holds: false,
        needed: typeof needed === 'number' ? needed : [...needed],
      };
      expect(kind.holdsAfterRefund(judged, 0)).toBe(false);
    },
  );
});

describe('every kind of action', () => {
  it.each(actionKinds)('computes a rate and an amount, and describes the rate ($name)', ({ name, examples }) => {
    const kind = actionKind(name);
    const part = Action.parse(numbered(examples[0].part));
    const rate = kind.baseRate(part, true);

    expect(rate).toBeGreaterThan(0);
    expect(kind.amount({ base: { kind: 'CENTS', amount: 100_000 }, rate, factors: [] })).toBeGreaterThan(0);
    const [merchant, program, from, to] = [say`Corner`, say`Sky`, say`Sky`, say`Club`];
    const terms = { rate: say`7 things`, amount: say`7`, per: 'dollar', merchant, program, from, to } as const;
    expect(textOf(kind.words(terms))).toMatch(/(Corner|Sky) .* 7/);
    expect(kind.term('7 things', 'dollar')).toMatch(/^[×÷] 7 things/);
    expect(kind.route(part) !== null).toBe(kind.effect === 'transfer');
    const at = { ...context, settings: settings({ programs: new Set([2, 4]) }) };
    expect(kind.faults(part, at)).toEqual([]);
  });
});

describe('every kind of limit', () => {
  it.each(limitKinds)('returns a period if and only if it counts usage ($name)', ({ name, examples, isCounted }) => {
    const kind = limitKind(name);
    const period = kind.period(Limit.parse(numbered(examples[0].part)), facts());

    expect(period !== null).toBe(isCounted);
    expect(textOf(kind.words(say`${period ?? ''}`))).not.toMatch(/undefined|null/);
  });
});
