import { describeGuide } from './support/guide-suite.ts';

describeGuide('docs/webhooks-guide.md');
