import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { campaignTypes } from '../../shared/domain/campaign/document/kinds/kind.ts';

/** A part as an operator writes it: the domain's own, without the id and the owner that it is given. */
const parts = z._default(z.array(z.record(z.string(), z.unknown())), []);

/** A template as an operator writes it: a campaign file, with all that the builder knows. */
export const TemplateFile = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(255)),
  description: z.nullable(z.string().check(z.maxLength(1000))),
  type: z.enum(campaignTypes),
  flows: z.array(
    z.strictObject({
      trigger: z.record(z.string(), z.unknown()),
      actions: parts,
      multipliers: parts,
      conditionGroups: z._default(z.array(z.strictObject({ logic: z.enum(['ANY', 'ALL']), conditions: parts })), []),
      limits: parts,
    }),
  ),
  goals: parts,
});
export type TemplateFile = z.infer<typeof TemplateFile>;

/** Reads a template file; its parts are looked at when it is made. @throws ZodError that names every fault */
export async function readTemplateFile(path: string | URL): Promise<TemplateFile> {
  return TemplateFile.parse(JSON.parse(await readFile(path, 'utf8')));
}
