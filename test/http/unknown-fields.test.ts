import { expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';

const bodies = contracts.flatMap(({ host, name, body, example }) =>
  body && example?.request ? [{ name: `${host}/${name}`, body, request: example.request }] : [],
);

it.each(bodies)('unknown fields of a body are ignored, and go no further: $name', ({ body, request }) => {
  const unknown = { unheard_of: [1], constructor: 'x', amount: null };
  expect(body.parse({ ...Object(request), ...unknown })).toEqual(body.parse(request));
});
