import type { Fault } from './reply.ts';

/** The keys that are allowed in the header `Idempotency-Key`. */
export const keyPattern = /^[\u0020-\u007e]{1,255}$/;

/** The fault of a request with any other key. */
export const invalidKeyFault: Fault = {
  pointer: '',
  code: 'invalid_idempotency_key',
  message: 'Idempotency-Key must be 1 to 255 printable characters',
};
