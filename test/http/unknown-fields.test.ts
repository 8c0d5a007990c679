import { expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';

const bodies = contracts.flatMap(({ host, name, body, example }) =>
  body && example?.request ? [{ name: `${host}/${name}`, body, request: example.request }] : [],
);

it.each(bodies)('the body schema of $name drops unknown fields', ({ body, request }) => {
  const unknown = { unheard_of: [1], constructor: 'x', weight: null };
  expect(body.parse({ ...Object(request), ...unknown })).toEqual(body.parse(request));
});
