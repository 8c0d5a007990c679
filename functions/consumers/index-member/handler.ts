import { indexMember, indexMemberStores } from '../../../shared/operations/member/find-members.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Lets operators find a member who linked an account. */
export const handler = consumer(declaration, indexMemberStores, indexMember);
