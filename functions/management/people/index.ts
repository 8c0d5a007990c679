import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as changeRolesContract } from './change-roles/contract.ts';
import { handler as changeRoles } from './change-roles/handler.ts';
import { contract as invitePersonContract } from './invite-person/contract.ts';
import { handler as invitePerson } from './invite-person/handler.ts';
import { contract as listPeopleContract } from './list-people/contract.ts';
import { handler as listPeople } from './list-people/handler.ts';
import { contract as removePersonContract } from './remove-person/contract.ts';
import { handler as removePerson } from './remove-person/handler.ts';

export const handler = resourceHandler([
  [listPeopleContract, listPeople],
  [invitePersonContract, invitePerson],
  [changeRolesContract, changeRoles],
  [removePersonContract, removePerson],
]);
