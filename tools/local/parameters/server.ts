import { AwsError, createServiceServer, type ServiceServer, validationError } from '../aws-service/service-server.ts';

/** The parameters by their names. */
export type ParameterValues = () => ReadonlyMap<string, string>;

const view = (Name: string, Value: string) => ({ Name, Value, Type: 'String', Version: 1 });

function namesOf({ Names }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(Names) || Names.length === 0 || Names.length > 10) {
    throw validationError('Names must be a list of one to ten names.');
  }
  return Names.map(String);
}

/**
 * Serves the values that the stacks store in the Parameter Store: GetParameters and GetParameter.
 *
 * @param values is called at each request, because some values are known only when all services listen
 */
export function createParametersServer(values: ParameterValues): ServiceServer {
  return createServiceServer({
    contentType: 'application/x-amz-json-1.1',
    handle({ headers, body }) {
      const known = values();
      const action = String(headers['x-amz-target'] ?? '').replace(/^AmazonSSM\./, '');
      if (action === 'GetParameters') {
        const names = namesOf(body);
        return {
          Parameters: names.flatMap((name) => view(name, known.get(name) ?? '')).filter(({ Name }) => known.has(Name)),
          InvalidParameters: names.filter((name) => !known.has(name)),
        };
      }
      if (action !== 'GetParameter') {
        throw new AwsError('UnknownOperationException', `the Parameter Store has no operation ${action} here`);
      }
      const found = known.get(String(body.Name));
      if (found === undefined) throw new AwsError('ParameterNotFound', `there is no parameter ${body.Name}`);
      return { Parameter: view(String(body.Name), found) };
    },
  });
}
