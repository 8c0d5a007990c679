import { InvalidInputError } from '../../../../shared/domain/errors.ts';
import { describeIssue, unworded } from '../../../../shared/domain/issues.ts';
import { TriggerFile } from '../../../../shared/domain/trigger/trigger-file.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { codeOf } from '../../../../shared/http/request.ts';
import { triggerView } from '../../../../shared/http/views/managed-partnership.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import {
  applySeenTrigger,
  configureTriggerStores,
} from '../../../../shared/operations/partnership/configure-trigger.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, configureTriggerStores, async (call) => {
  const { params, body, revision, caller } = call;
  const seen = { partnershipUuid: params.id, organisationId: caller.organisationId, revision };
  const { description = null, event, friend_field: friendField, is_active: isActive } = body;
  const file = readTrigger({
    name: params.name,
    description,
    event,
    friendField,
    isActive,
    contextSchema: body.context_schema,
  });
  return snakeCased(triggerView(await applySeenTrigger(seen, file, withAuthor(contract, call))));
});

/** @throws InvalidInputError with every fault */
function readTrigger(written: unknown): TriggerFile {
  const { data, error } = TriggerFile.safeParse(written, { error: () => unworded });
  if (data) return data;
  throw new InvalidInputError(
    error.issues.map((issue) => ({ path: issue.path.map(String), code: codeOf(issue), message: describeIssue(issue) })),
  );
}
