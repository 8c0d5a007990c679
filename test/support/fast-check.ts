import fc from 'fast-check';

/**
 * fast-check with a seed of this run. A failure prints it; `FC_SEED=<seed>` then runs the same cases again.
 */
const seed = Number.parseInt(process.env.FC_SEED ?? '', 10);
fc.configureGlobal({ ...(Number.isInteger(seed) && { seed }) });

export { fc };
