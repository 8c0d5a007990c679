import { timingSafeEqual } from 'node:crypto';
import { edgeHeaders } from '../contracts/edge.ts';
import type { Headers } from './request.ts';

/** The way of a request to its host. */
export interface RequestOrigin {
  /** Whether the request came through the stage's delivery network. */
  readonly isFromEdge: boolean;
  /** The address of the caller: of the viewer behind the delivery network, or else of the connection. */
  readonly address: string;
}

/**
 * Finds out who sent a request. API Gateway reports the address of the connection, which for a request of the delivery
 * network is the address of an edge that many viewers share. Only with the secret, the viewer's address is taken from
 * the header: without it, a caller could claim any address.
 *
 * @param headers names in lower case
 * @param connectionAddress the address that API Gateway reports
 * @param secrets those that the delivery network may send; none for a host that has no delivery network in front of it
 */
export function originOf(headers: Headers, connectionAddress: string, secrets: readonly string[]): RequestOrigin {
  const { [edgeHeaders.secret]: given = '', [edgeHeaders.viewerAddress]: viewer } = headers;
  const isFromEdge = secrets.some((secret) => secret !== '' && isSame(given, secret));
  if (!isFromEdge) return { isFromEdge, address: connectionAddress };
  return { isFromEdge, address: viewer ?? connectionAddress };
}

/** Compares in constant time, so the time of a refusal does not tell how much of the secret was right. */
function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
