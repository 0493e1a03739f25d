/** What answers show in place of the value of a custom header. */
export const maskedHeaderValue = '********'
