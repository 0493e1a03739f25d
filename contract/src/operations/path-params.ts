type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamNames<`/${More}`>
    : Rest
  : never

/** The parameters of `/devices/:deviceId/open_issues` and the like. */
export type PathParams<Path extends string> = Readonly<Record<ParamNames<Path>, string>>
