import * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { described } from '../contracts/described.ts';
import { type Author, staffAuthor } from '../operations/write-audited.ts';
import type { StaffCaller } from './request.ts';

/** The path parameter of everything that belongs to an organisation. */
export const organisationIdParam = described('Id of the organisation.', z.string());

/** The path parameters of an organisation. */
export const organisationParams = z.object({ organisation_id: organisationIdParam });

/**
 * The kind of act by which the audit trail knows a request: `change roles` for `change-roles`. An endpoint of several
 * acts names the one of the request: `approve campaign` for `act-on-campaign` with the act `approve`.
 */
export function actOf({ name }: AnyContract, body?: unknown): string {
  const act = typeof body === 'object' && body !== null && 'act' in body && body.act;
  return (typeof act === 'string' ? name.replace(/^act-on(?=-)/, act) : name).replaceAll('-', ' ');
}

/** Adds to deps the person who acts: so changes are in the audit trail of the organisation. */
export const withAuthor = <Deps extends object>(
  contract: AnyContract,
  { caller, body, deps }: { readonly caller: StaffCaller; readonly body: unknown; readonly deps: Deps },
): Deps & { readonly author: Author } => ({ ...deps, author: staffAuthor(caller, actOf(contract, body)) });
