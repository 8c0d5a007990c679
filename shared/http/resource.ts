import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type AnyContract, managementPath } from '../contracts/contract.ts';
import type { Reply } from './reply.ts';

/** The handler of one contract. */
type Handler = (event: APIGatewayProxyEvent, context: never) => Promise<Reply>;
type Route = readonly [contract: AnyContract, handler: unknown];

const routeOf = ({ method, path }: AnyContract): string => `${method} ${managementPath}${path}`;

/**
 * Makes the Lambda of a resource: calls the handler of the contract with the method and the path that API Gateway found.
 * API Gateway refuses every other request itself.
 *
 * @example
 * export const handler = resourceHandler([[listPeopleContract, listPeople], [invitePersonContract, invitePerson]]);
 */
export function resourceHandler(routes: readonly Route[]) {
  const handlers = new Map(routes.map(([contract, handler]) => [routeOf(contract), handler as Handler]));
  const handle: Handler = async (event, context) => {
    const handler = handlers.get(`${event.httpMethod} ${event.resource}`);
    if (!handler) throw new RangeError(`the resource has no ${event.httpMethod} ${event.resource}`);
    return handler(event, context);
  };
  return Object.assign(handle, { contracts: routes.map(([contract]) => contract) });
}
