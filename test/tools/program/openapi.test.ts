import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { programCalls } from '../../../shared/programs/contract.ts';
import { programOpenApi, programOpenApiYaml, samples } from '../../../tools/build/docs/program-openapi.ts';

describe('docs/programs/openapi.yaml', () => {
  it('is up to date with the contract (`npm run docs` writes it)', () => {
    expect(readFileSync('docs/programs/openapi.yaml', 'utf8')).toBe(programOpenApiYaml());
  });

  it('is valid YAML and OpenAPI 3.1 for an independent validator', async () => {
    const validator = new Validator();

    expect(await validator.validate(programOpenApiYaml())).toEqual({ valid: true });
    expect(validator.specification).toEqual(JSON.parse(JSON.stringify(programOpenApi())));
  });

  it.each(Object.entries(samples))('has an example of %s that follows the contract', (name, [request, reply]) => {
    const call = programCalls[name as keyof typeof programCalls];

    expect(call.request.safeParse(request).error).toBeUndefined();
    expect(call.reply.safeParse(reply).error).toBeUndefined();
  });
});
