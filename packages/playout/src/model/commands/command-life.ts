import type { Command } from './commands.ts'

/**
 * How long a command counts (rule C2). A request is dropped when its sender stopped waiting, who may have changed their
 * mind. A fact stays true and must not be lost.
 */
const lives: Record<Command['type'], 'request' | 'fact' | 'a fact with an order'> = {
  'library-changed': 'fact',
  'settings-changed': 'fact',
  'clips-changed': 'fact',
  'cue-points-changed': 'fact',
  // A sender without an answer does not change the track, so no entry may leave the queue for it.
  'release-track': 'request',
  'switch-mode': 'request',
  'cancel-switch': 'request',
  'insert-group': 'request',
  // An order carries its own deadline (rule A10).
  'add-song': 'a fact with an order',
  'remove-entry': 'request',
  'restore-entry': 'request',
  'move-entry': 'request',
  'insert-jingle': 'request',
  'cancel-jingle': 'request',
  skip: 'request',
  'request-track': 'request',
  'answer-track-request': 'request',
  'go-live': 'request',
  'leave-live': 'fact',
  'replica-gone': 'fact',
  // The position of a switch: nobody may be heard who believes their microphone is off.
  'set-mic': 'fact',
  'set-gain': 'fact',
  mute: 'request',
  kick: 'request',
  'ban-uid': 'request',
  'ban-guest': 'request',
  'request-guest': 'request',
  'answer-guest': 'request',
  'connect-guest': 'request',
  'enter-by-code': 'request',
  'set-code': 'request',
  // It names the code, so a later one stays.
  'forget-code': 'fact',
  'pause-queue': 'request',
  'resume-queue': 'request',
  'choose-background': 'request',
}

/** True when a command is carried out however late it is read. */
export function isLasting(command: Command): boolean {
  if (command.type === 'add-song') return command.orderId !== undefined
  return lives[command.type] === 'fact'
}
