export * from './commands.ts'
export * from './state.ts'
