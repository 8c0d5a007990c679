import { type Answering, answers } from './answers.ts';

interface SecureAnswer {
  /** A file of test/fixtures/tls. */
  readonly certificate: string;
  readonly act: Answering;
}

/** Endpoints that listen with TLS. The name completes the sentence "an endpoint that …". */
export const secureAnswers = {
  'thanks over TLS': { certificate: 'certificate', act: answers.thanks },
  'has a certificate for another name': { certificate: 'other-name', act: answers.thanks },
  'has an expired certificate': { certificate: 'expired', act: answers.thanks },
  'has a certificate of an unknown authority': { certificate: 'unknown-authority', act: answers.thanks },
  'secures the connection and never answers': { certificate: 'certificate', act: () => {} },
  'secures the connection and ends it': { certificate: 'certificate', act: (socket) => socket.destroy() },
  'drips its body over TLS': { certificate: 'certificate', act: answers['drips its body'] },
  'sends a body of a gigabyte over TLS': { certificate: 'certificate', act: answers['sends a body of a gigabyte'] },
} satisfies Record<string, SecureAnswer>;
