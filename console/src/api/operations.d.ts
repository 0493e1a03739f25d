declare module 'virtual:operations' {
  /** Method and path of an operation: `GET /devices/:id`. */
  export const addresses: Readonly<Record<string, `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`>>
}
