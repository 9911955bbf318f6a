/** So many names a model is told of when it has named none. */
export const namesTold = 50
