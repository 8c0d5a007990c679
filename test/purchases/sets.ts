import type { StatementName } from './statements.ts';

/** The sets of statements whose sequences are played: up to six statements that may well be about one purchase. */
export const sets: readonly (readonly StatementName[])[] = [
  // The same purchase, reported by merchant and platform.
  ['token', 'order', 'payment A', "merchant's refund half", "platform's refund half", 'points that paid'],
  ['token', 'payment A', 'transaction refund half', "platform's refund full", 'dispute', 'won'],
  ['order', 'payment A', 'payment B', "merchant's refund half", "platform's refund half", 'failed refund'],
  ['order', 'payment A', "merchant's refund half", 'failed refund', 'points that paid', "platform's refund half"],
  ['order', 'payment A', "merchant's refund full", 'running total of refunds', 'dispute', 'won'],
  // An order id that comes late.
  ['order', 'capture 1', 'capture 2', 'order id late', "merchant's refund half", 'refund of C'],
  ['token', 'payment A', 'capture 1', 'order id late', "platform's refund half", 'refund of C'],
  ['payment A', 'capture 1', 'capture 2', 'order id late', "platform's order", "platform's refund half"],
  // The platforms alone.
  ['payment A', 'payment B', "platform's order", "platform's refund half", 'running total of refunds', 'failed refund'],
  ['capture 1', 'capture 2', 'transaction refund half', 'transaction refund full', 'refund of C', 'order id late'],
  // Points and operators.
  ['order', 'payment A', 'points that paid', "platform's refund half", "merchant's refund full", "operator's reversal"],
  ['token', 'points that paid', 'transaction refund half', 'refund of the redemption', "operator's reversal", 'order'],
  // A customer who is known late.
  ['payment of a guest', 'payment A', 'order', "merchant's refund half", "platform's refund half", 'points that paid'],
];
