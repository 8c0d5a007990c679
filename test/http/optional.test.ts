import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { contracts } from '../../functions/contracts.ts';
import { pointerOf } from '../../shared/http/reply.ts';

/** An optional field of a JSON body. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly in?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
}

function placesIn(schema: z.core.$ZodType, path: Place['path'] = []): Place[] {
  const { type, shape = {}, in: first, innerType, element } = schema._zod.def as unknown as Definition;
  if (type === 'array') return element ? placesIn(element, [...path, 0]) : [];
  const inner = first ?? innerType;
  if (inner) return placesIn(inner, path);
  return Object.entries(shape).flatMap(([name, field]) => [
    ...((field._zod.def as { type: string }).type === 'optional' ? [{ path, name }] : []),
    ...placesIn(field, [...path, name]),
  ]);
}

/** Returns the example with one field replaced by the fields of `change`. Creates missing objects on its path. */
function changed(value: unknown, { path, name }: Place, change: object): unknown {
  const [first, ...rest] = path;
  if (first === undefined) {
    const { [name]: _, ...others } = Object(value);
    return { ...others, ...change };
  }
  const inner = changed(Object(value)[first], { path: rest, name }, change);
  return typeof first === 'number' ? [inner] : { ...Object(value), [first]: inner };
}

const cases = contracts.flatMap(({ host, name, body, bodyType, example }) =>
  body && bodyType !== 'form'
    ? placesIn(body).map((place) => ({
        title: `${host}/${name} ${pointerOf([...place.path, place.name])}`,
        body,
        request: example?.request,
        place,
      }))
    : [],
);

describe('null in an optional field', () => {
  it('has test cases for the JSON bodies of several hosts', () => {
    const titles = cases.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['order/create-order /line_items/0/product_id']));
    expect(titles).toEqual(expect.arrayContaining(['base/create-connect-token /user/email']));
    expect(titles).toEqual(expect.arrayContaining(['notification/update-webhook /entity_type']));
  });

  it.each(cases)('has the same effect as a missing field: $title', ({ body, request, place }) => {
    const outcome = (change: object) => {
      const { data, error } = body.safeParse(changed(request, place, change));
      return data ?? error?.issues.map(({ path, message }) => [pointerOf(path), message]);
    };
    expect(outcome({ [place.name]: null })).toEqual(outcome({}));
  });
});
