import * as z from 'zod/mini';

/** The environment of a function. The stacks set every name that is read here. */
const Environment = z.object({
  /** Part of every key and token, so that those of another stage are rejected before they are looked up. */
  STAGE: z.string().check(z.regex(/^[a-z]+$/)),
  TABLE_NAME: z.string().check(z.minLength(1)),
  /** Hosts that webhooks may be sent to over http. Set only on a developer's machine. */
  WEBHOOK_HTTP_HOSTS: z.pipe(
    z._default(z.string(), ''),
    z.transform((hosts: string) => hosts.split(',').filter(Boolean)),
  ),
  BUS_NAME: z.optional(z.string()),
  QUEUE_URL_DELIVER: z.optional(z.string()),
  SCHEDULE_GROUP: z.optional(z.string()),
  SCHEDULE_ROLE_ARN: z.optional(z.string()),
  SCHEDULE_TARGET_ARN: z.optional(z.string()),
  SCHEDULE_DEAD_LETTER_ARN: z.optional(z.string()),
});

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the configuration.
 *
 * @throws ZodError that names every variable that is missing or wrong
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const parsed = Environment.parse(environment);
  return {
    stage: parsed.STAGE,
    tableName: parsed.TABLE_NAME,
    webhookHttpHosts: parsed.WEBHOOK_HTTP_HOSTS,
    busName: parsed.BUS_NAME,
    queueUrls: { deliver: parsed.QUEUE_URL_DELIVER },
    /** One-time schedules: their group, their role, the bus they publish to, and the queue for failed calls. */
    clock: {
      groupName: parsed.SCHEDULE_GROUP,
      roleArn: parsed.SCHEDULE_ROLE_ARN,
      targetArn: parsed.SCHEDULE_TARGET_ARN,
      deadLetterArn: parsed.SCHEDULE_DEAD_LETTER_ARN,
    },
  } as const;
}
