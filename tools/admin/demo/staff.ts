import type { StaffRole } from '../../../shared/domain/staff/roles.ts';
import { enrolPerson } from '../../../shared/operations/staff/manage-staff.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';

/** Nobody waits longer than this for a demonstration. */
const waitsForMs = 10 * 365 * 24 * 60 * 60 * 1_000;

/** A person of the demonstration: the address is all that signs the person in on one machine. */
export interface DemoPerson {
  readonly email: string;
  readonly name: string;
  readonly roles: readonly StaffRole[];
  readonly organisationId: number;
  readonly organisation: string;
}

/** Adds the people of the demonstration to its organisations: for both sides of a campaign, and for each kind of work. */
export async function makeDemoPeople(
  { merchant, partner }: Readonly<Record<'merchant' | 'partner', { readonly id: number; readonly name: string }>>,
  platform: Platform,
): Promise<DemoPerson[]> {
  const at = ({ id, name }: typeof merchant) => ({ organisationId: id, organisation: name });
  const people: readonly DemoPerson[] = [
    { email: 'olivia@corner-coffee.example', name: 'Olivia Hart', roles: ['owner'], ...at(merchant) },
    { email: 'emil@corner-coffee.example', name: 'Emil Novak', roles: ['editor'], ...at(merchant) },
    { email: 'dana@corner-coffee.example', name: 'Dana Okafor', roles: ['developer'], ...at(merchant) },
    { email: 'pilar@skyline-miles.example', name: 'Pilar Ortega', roles: ['approver'], ...at(partner) },
  ];
  const until = new Date(platform.now().getTime() + waitsForMs);
  for (const { organisation, ...person } of people) await enrolPerson({ ...person, until }, platform);
  return [...people];
}
