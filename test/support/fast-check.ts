import fc from 'fast-check';

/**
 * fast-check with one seed per run. A failure prints the seed; `FC_SEED=<seed>` repeats the cases.
 */
const seed = Number.parseInt(process.env.FC_SEED ?? '', 10);
fc.configureGlobal({ ...(Number.isInteger(seed) && { seed }) });

export { fc };
