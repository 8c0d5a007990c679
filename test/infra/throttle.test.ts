import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { DataStack } from '../../infra/stacks/data-stack.ts';
import { EdgeStack, HostStack } from '../../infra/stacks/host-stacks.ts';
import { type StageSettings, stageSettings } from '../../infra/stages.ts';
import { type Host, hosts } from '../../shared/contracts/contract.ts';

const everyHost = { ratePerSecond: 100, burst: 200 };
const reward = { ratePerSecond: 500, burst: 900 };

/** The throttle of each host in the template of a stage. */
function synthesizedThrottles(stage: StageSettings): Map<string, unknown> {
  const app = new App({ context: { 'aws:cdk:disable-stack-trace': true } });
  const data = new DataStack(app, 'data', { stage, code: (folder) => Code.fromInline(`// ${folder}`) });
  const edge = new EdgeStack(app, 'edge', { stage });
  const stacks = hosts.map((host) => {
    const own = contracts.filter((contract) => contract.host === host).slice(0, 1);
    return { host, stack: new HostStack(app, host, { stage, data, edge, host, contracts: own }) };
  });
  return new Map(
    stacks.map(({ host, stack }) => {
      const template = Template.fromStack(stack);
      const [rates] = Object.values(template.findResources('AWS::ApiGateway::Stage')).map(({ Properties }) => {
        const [{ ThrottlingRateLimit: ratePerSecond, ThrottlingBurstLimit: burst }] = Properties.MethodSettings;
        return { ratePerSecond, burst };
      });
      return [nameOf(host), rates];
    }),
  );
}

const nameOf = (host: Host) => `rewards-sandbox-${host}`;

describe('the request rate of a host', () => {
  const sandbox = stageSettings('sandbox');

  it('is the default rate of the stage', () => {
    expect(synthesizedThrottles(sandbox)).toEqual(new Map(hosts.map((host) => [nameOf(host), everyHost])));
  });

  it('is the host’s own if the stage declares one', () => {
    const throttles = synthesizedThrottles({ ...sandbox, throttle: { default: everyHost, hosts: { reward } } });

    expect(throttles.get(nameOf('reward'))).toEqual(reward);
    expect(throttles.get(nameOf('order'))).toEqual(everyHost);
  });
});
