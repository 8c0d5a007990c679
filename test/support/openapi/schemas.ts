import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ContractHost } from '../../../shared/contracts/contract.ts';
import { documentOf } from './documents.ts';

/** Validators for any part of a host's document. Each is compiled at its first use. */

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const added = new Set<ContractHost>();

/** Returns the validator of the schema at a JSON Pointer of the document. `place` contains the parts of the pointer. */
export function validatorAt(host: ContractHost, place: readonly string[]): ValidateFunction {
  if (!added.has(host)) ajv.addSchema(closed(documentOf(host)) as object, host);
  added.add(host);
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.getSchema(`${host}#/${pointer}`);
  if (!validate) throw new Error(`the document of ${host} has nothing at /${pointer}`);
  return validate as ValidateFunction;
}

/** Describes what is wrong, in one line. */
export function faultsOf({ errors }: ValidateFunction): string {
  const said = (errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;
  });
  return said.join('; ');
}

/**
 * Returns a document that allows no undocumented field. Clients must accept fields that are added later, but the
 * platform must not send a field that it does not document.
 */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  const isOpen = copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined;
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}
