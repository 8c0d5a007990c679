import { programEndpoint } from '../../../shared/http/program-endpoint.ts';
import { receiveReport, receiveReportStores } from '../../../shared/operations/posting/receive-report.ts';
import { contract } from './contract.ts';

export const handler = programEndpoint(contract, receiveReportStores, async ({ body, caller, deps }) => {
  await receiveReport({ partnerId: caller.organisationId, report: body }, deps);
  return { received: true };
});
