import * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { described } from '../contracts/described.ts';
import { type Author, staffAuthor } from '../operations/write-audited.ts';
import type { StaffCaller } from './request.ts';

/** The path parameter of everything that belongs to an organisation. */
export const organisationIdParam = described('Id of the organisation.', z.string());

/** The path parameters of an organisation. */
export const organisationParams = z.object({ organisation_id: organisationIdParam });

/** The kind of act by which the audit trail knows an endpoint: `change roles` for `change-roles`. */
export const actOf = ({ name }: AnyContract): string => name.replaceAll('-', ' ');

/** Adds to deps the person who acts: so changes are in the audit trail of the organisation. */
export const withAuthor = <Deps extends object>(
  contract: AnyContract,
  { caller, deps }: { readonly caller: StaffCaller; readonly deps: Deps },
): Deps & { readonly author: Author } => ({ ...deps, author: staffAuthor(caller, actOf(contract)) });
