/* Isla for two players, played uniformly at random: written by hand for the default components and the reward "outcome".
 *
 * It plays exactly the games of isle_envs.core.loops.roll_loop over isle_envs.isla.rules, and is what that engine's speed is
 * compared with. The same work a decision: an action drawn from the bytes of the mask, played, rewards of both seats, a
 * finished game dealt anew, a fresh mask of 85 bytes. What is particular to it:
 *
 * - A state is six cache lines. An 8 x 8 map is one word, a hand of tokens four bytes of one word.
 * - There is no search for what to do next: each decision leads straight to the code that finds the next one, and finding it
 *   gives its mask.
 * - A mask is written in whole words, its row filled up to eleven of them; a word is packed into bits by one multiplication.
 * - Each game plays all its steps before the next one, which is fetched meanwhile, as the engine does it.
 * - All 91 random numbers of a deal come from one loop without dependences, which compilers make vector instructions of.
 *
 * C11 for little-endian machines.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "isla.c is written for little-endian machines"
#endif

enum { PLAYERS = 2, CELLS = 64, DICE = 5, ALL_DICE = 31, KINDS = 5, SPECIES = 3, SPOTS = 11, POOL = 4, OWNED = 9 };
enum { CARDS = 38, THREATS = 16, THREAT_CARDS = 35, TERRAINS = 5, TRACK = 17, POINTS_END = 17 };
enum { A_KEEP = 55, A_PLAN = 56, A_REST = 59, A_DIE = 60, A_BOOST = 65, A_NO_BOOST = 75, A_STEP = 76, A_LEAVE = 80 };
enum { A_RESEARCH = 81, ROW = 128, /* of 85 actions */ NONE = -1, NO_CELL = 255 };
enum { SETUP, PLAN, DIE, BOOST, STEP, RESEARCH, OVER };
enum { REST, EXPLORE, STUDY };
enum { ACTIVE, EXITED, LOST };
enum { RUNNING, FINISHED, CUT_OFF = 5 };
enum { FLORA, FAUNA, FOSSIL, REST_TOKEN, BOULDER };
enum { NOW, THIS_ROUND, KEEP };
enum { EXHAUST, REFRESH, LOSE, DISCARD_POOL, BAN, SLOW, POINTS, EXPLORED, UNEXPLORED, HOLDING, RESEARCHED };
enum { LEFT = DICE, RIGHT = DICE + 1, ANY = SPECIES };

/* What Python fills in; the fields of the engine's tables. */
typedef struct {
    uint64_t terrain_spaces[TERRAINS];
    int64_t layout[9]; /* the first action of each block */
    uint8_t near[CELLS][4];
    int8_t terrain[CELLS], icon[CELLS], highlight_at[CELLS];
    uint8_t highlight[SPOTS], token_count[KINDS], sides[DICE], die_points[DICE], track[TRACK], track_length;
    uint8_t spaces, start, exit, round_limit, cards, threats;
    uint8_t cost[CARDS][SPECIES], points[CARDS], boost[POINTS_END], boost_index[POINTS_END];
    uint8_t time[THREATS], effect[THREATS], everyone[THREATS], copies[THREATS];
    int8_t what[THREATS], amount[THREATS];
} Tables;

typedef struct {
    uint64_t key, counter;
} Stream;

typedef struct {
    uint64_t explored;
    uint32_t kept, hand; /* hand: a byte for each of flora, fauna, fossil and the rest token */
    uint8_t at, boulder, ready, rested, cards, status, exit_round, track;
    uint8_t bans, slows; /* of the threats kept */
    int8_t boosted;
    uint8_t token[SPOTS];
    int8_t card[OWNED];
} Player;

typedef struct { /* forgotten when the round ends, in one store */
    int8_t plan[PLAYERS];
    uint8_t acted[PLAYERS], banned[PLAYERS], slow[PLAYERS];
} Round;

typedef struct {
    Stream stream;
    Player player[PLAYERS];
    uint64_t discards;
    Round round;
    uint8_t die[DICE];
    int8_t chosen;
    uint8_t movement, phase;
    int8_t current_player, first_player;
    uint8_t round_number, end;
    int8_t pool[POOL];
    uint8_t drawn, deck_size, threats_drawn, threat_deck_size;
    uint8_t deck[CARDS], threat_deck[THREAT_CARDS], threat_discards[THREATS];
    Player before[PLAYERS];
    uint8_t unused[43]; /* to whole cache lines */
} Game;

enum { DRAWS = PLAYERS * (SPOTS - 1) + CARDS - 1 + THREAT_CARDS - 1 }; /* random numbers of a deal */

typedef struct {
    Tables tables;
    uint8_t near[CELLS][4];   /* as in the tables, but with a cell that is never open in place of NO_CELL */
    uint64_t land;
    uint32_t price[CARDS + 1]; /* of card c at c + 1, as hands; before them one that no hand can pay */
    uint8_t icon[CELLS];       /* the set of dice refreshed */
    Game fresh;                /* a game before shuffling */
    uint32_t bound[DRAWS];     /* of the random numbers of a deal */
    int64_t n;
    Game *games;
} Batch;

/* ------------------------------------------------------------------------------------------------- Bits, random numbers */

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
INLINE int count_bits(uint64_t bits) { return __builtin_popcountll(bits); }
INLINE int lowest(uint64_t bits) { return __builtin_ctzll(bits); }
#define PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define INLINE static inline
#define COLD static
#define UNLIKELY(condition) (condition)
INLINE int count_bits(uint64_t bits) {
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}
INLINE int lowest(uint64_t bits) { return count_bits((bits & (0 - bits)) - 1); }
#define PREFETCH(address) (void)(address)
#endif

/* The item number k of a set, in ascending order. */
#ifdef __BMI2__
INLINE int nth(uint64_t bits, uint32_t k) { return lowest(_pdep_u64(UINT64_C(1) << k, bits)); }
#else
INLINE int nth(uint64_t bits, uint32_t k) {
    for (; UNLIKELY(k > 4); k--) bits &= bits - 1;
    for (uint32_t i = 0; i < 4; i++) bits = k > i ? bits & (bits - 1) : bits; /* no branch */
    return lowest(bits);
}
#endif

/* Asks the processor to have a game at hand soon. */
INLINE void fetch(const Game *game) {
    for (size_t at = 0; at < sizeof *game; at += 64) PREFETCH((const char *)game + at);
}

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define NEXT_GAME UINT64_C(0x6E657874)

INLINE uint64_t scramble(uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

INLINE uint64_t mix(uint64_t a, uint64_t b) { return scramble(scramble(a + GOLDEN) + b * GOLDEN + 1); }

INLINE uint32_t below(Stream *stream, uint32_t n) {
    stream->counter += 1;
    return (uint32_t)(((scramble(stream->key + stream->counter * GOLDEN) >> 32) * n) >> 32);
}

INLINE void exchange(uint8_t *items, uint32_t a, uint32_t b) {
    uint8_t item = items[a];
    items[a] = items[b];
    items[b] = item;
}

/* Fisher-Yates by numbers drawn before. */
INLINE void permute(uint8_t *items, uint32_t n, const uint8_t *draws) {
    for (uint32_t last = n - 1; last > 0; last--) exchange(items, last, *draws++);
}

COLD void shuffle(Stream *stream, uint8_t *items, uint32_t n) {
    for (uint32_t last = n; last-- > 1;) exchange(items, last, below(stream, last + 1));
}

/* ------------------------------------------------------------------------------------------------------------------ Mask */

INLINE uint64_t load(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/* Eight bytes of 0 or 1 as eight bits, and seven bits as seven such bytes. */
INLINE uint64_t pack(uint64_t bytes) { return (bytes * UINT64_C(0x0102040810204080)) >> 56; }
INLINE uint64_t spread(uint64_t bits) {
    return (bits * UINT64_C(0x0002040810204081)) & UINT64_C(0x0101010101010101);
}

/* The bytes from 56 on: all masks but those of the setup. */
INLINE void write_mask(uint8_t *mask, uint64_t w56, uint64_t w64, uint64_t w72, uint64_t w80) {
    memset(mask, 0, 56);
    memcpy(mask + 56, &w56, 8);
    memcpy(mask + 64, &w64, 8);
    memcpy(mask + 72, &w72, 8);
    memcpy(mask + 80, &w80, 8);
}

/* One of the legal actions, all equally likely. */
INLINE uint32_t sample(const uint8_t *mask, Stream *stream) {
    uint64_t low = 0, high, front = 0, bits;
    uint32_t count_low, left, base = 0;
    for (int k = 0; k < 7; k++) front |= load(mask + 8 * k);
    if (UNLIKELY(front != 0))
        for (int k = 0; k < 7; k++) low |= pack(load(mask + 8 * k)) << (8 * k);
    low |= pack(load(mask + 56)) << 56;
    high = pack(load(mask + 64)) | pack(load(mask + 72)) << 8 | pack(load(mask + 80)) << 16;
    count_low = (uint32_t)count_bits(low);
    left = below(stream, count_low + (uint32_t)count_bits(high));
    bits = low;
    if (left >= count_low) {
        left -= count_low;
        bits = high;
        base = 64;
    }
    return base + (uint32_t)nth(bits, left);
}

/* ------------------------------------------------------------------------------------------------------------- Map sheet */

INLINE uint64_t bit(uint32_t index) { return UINT64_C(1) << index; }

/* The neighbouring spaces that can be entered: a byte for each of north, east, south and west. */
INLINE uint32_t ways(const Batch *b, const Player *player) {
    uint64_t open = b->land & ~player->explored & ~bit(player->boulder);
    const uint8_t *near = b->near[player->at];
    return (uint32_t)(open >> near[0] & 1) | (uint32_t)(open >> near[1] & 1) << 8 | (uint32_t)(open >> near[2] & 1) << 16 |
           (uint32_t)(open >> near[3] & 1) << 24;
}

INLINE uint32_t left_die(uint32_t dice) { return dice & (0 - dice); }
INLINE uint32_t right_die(uint32_t dice) {
    dice |= dice >> 1;
    dice |= dice >> 2;
    dice |= dice >> 4;
    return dice ^ (dice >> 1);
}

/* Those of `dice` that are meant. */
INLINE uint32_t meant(uint32_t dice, int which) {
    return which == LEFT ? left_die(dice) : which == RIGHT ? right_die(dice) : dice & (1u << which);
}

INLINE uint32_t may_use_rest_token(const Player *player) {
    return (player->hand >> 24 != 0) & (player->ready != ALL_DICE);
}

INLINE void use_rest_token(Player *player) {
    player->hand -= 1u << 24;
    player->ready |= left_die(~(uint32_t)player->ready & ALL_DICE);
}

/* The cards of the pool that the hand pays: bytes of 0 or 1. */
INLINE uint32_t affordable(const Batch *b, const Game *game, const Player *player) {
    uint32_t hand = player->hand | 0x80808080u, result = 0;
    for (int slot = 0; slot < POOL; slot++) {
        uint32_t rest = (hand - b->price[game->pool[slot] + 1]) & 0x808080u;
        result |= (uint32_t)(rest == 0x808080u) << (8 * slot);
    }
    return player->cards == OWNED ? 0 : result;
}

static void place_boulder(const Batch *b, Player *player) {
    for (int spot = 0; spot < SPOTS; spot++)
        if (player->token[spot] == BOULDER) player->boulder = b->tables.highlight[spot];
}

/* --------------------------------------------------------------------------------------------------------------- Scoring */

static int standing(const Tables *t, const Player *player) {
    int points = t->track[player->track] + count_bits(player->explored) - t->spaces;
    for (int k = 0; k < player->cards; k++) points += t->points[player->card[k]];
    for (int die = 0; die < DICE; die++) points += player->ready >> die & 1 ? t->die_points[die] : 0;
    for (uint32_t rest = player->kept; rest; rest &= rest - 1) {
        int threat = lowest(rest), what = t->what[threat], times = 0;
        switch (t->effect[threat]) {
        case POINTS: times = 1; break;
        case EXPLORED: times = count_bits(t->terrain_spaces[what] & player->explored); break;
        case UNEXPLORED: times = count_bits(t->terrain_spaces[what] & ~player->explored); break;
        case RESEARCHED: times = player->cards; break;
        case HOLDING:
            for (int kind = 0; kind < SPECIES; kind++)
                if (what == ANY || what == kind) times += player->hand >> (8 * kind) & 255;
            break;
        default: break;
        }
        points += times * t->amount[threat];
    }
    return points;
}

/* 5 for who left first, 3 for who left in a later round. */
static int exit_bonus(const Player *player, const Player *other) {
    if (player->status != EXITED) return 0;
    return other->status == EXITED && other->exit_round < player->exit_round ? 3 : 5;
}

static int score(const Tables *t, const Game *game, int seat) {
    const Player *player = &game->player[seat];
    return standing(t, player) + exit_bonus(player, &game->player[1 - seat]);
}

static void reward(const Tables *t, const Game *game, float *rewards) {
    int ahead = score(t, game, 0) - score(t, game, 1);
    if (ahead == 0) ahead = count_bits(game->player[0].explored) - count_bits(game->player[1].explored);
    if (ahead == 0) ahead = game->player[0].cards - game->player[1].cards;
    rewards[0] = (float)((ahead > 0) - (ahead < 0));
    rewards[1] = -rewards[0] + 0.0f;
}

/* ----------------------------------------------------------------------------------------------------------------- Cards */

COLD void renew_deck(Game *game) {
    int count = 0;
    for (uint64_t rest = game->discards; rest; rest &= rest - 1) game->deck[count++] = (uint8_t)lowest(rest);
    game->discards = 0;
    game->drawn = 0;
    game->deck_size = (uint8_t)count;
    if (count > 0) shuffle(&game->stream, game->deck, (uint32_t)count);
}

INLINE int8_t draw_card(Game *game) {
    if (UNLIKELY(game->drawn == game->deck_size)) {
        renew_deck(game);
        if (game->deck_size == 0) return NONE;
    }
    return (int8_t)game->deck[game->drawn++];
}

INLINE void discard(Game *game, int card) {
    if (card != NONE) game->discards |= bit((uint32_t)card);
}

INLINE void refill_pool(Game *game, int taken) {
    for (int slot = taken; slot > 0; slot--) game->pool[slot] = game->pool[slot - 1];
    game->pool[0] = draw_card(game);
}

COLD void replace_pool(Game *game) {
    for (int slot = 0; slot < POOL; slot++) discard(game, game->pool[slot]);
    for (int slot = 0; slot < POOL; slot++) game->pool[slot] = draw_card(game);
}

COLD void renew_threats(Game *game) {
    int count = 0;
    for (int threat = 0; threat < THREATS; threat++) {
        for (; game->threat_discards[threat] > 0; game->threat_discards[threat]--)
            game->threat_deck[count++] = (uint8_t)threat;
    }
    game->threats_drawn = 0;
    game->threat_deck_size = (uint8_t)count;
    if (count > 0) shuffle(&game->stream, game->threat_deck, (uint32_t)count);
}

static void resolve_threat(const Tables *t, Game *game, int seat) {
    Player *player = &game->player[seat];
    if (UNLIKELY(game->threats_drawn == game->threat_deck_size)) {
        renew_threats(game);
        if (game->threat_deck_size == 0) return;
    }
    int threat = game->threat_deck[game->threats_drawn++], effect = t->effect[threat], what = t->what[threat];
    if (t->time[threat] == KEEP) {
        if (player->kept >> threat & 1) { /* never two of one name */
            game->threat_discards[threat]++;
            return;
        }
        player->kept |= 1u << threat;
        if (effect == BAN) player->bans |= 1u << what;
        if (effect == SLOW) player->slows += t->amount[threat];
        return;
    }
    game->threat_discards[threat]++;
    if (t->time[threat] == THIS_ROUND) {
        for (int other = 0; other < PLAYERS; other++)
            if (t->everyone[threat] || other == seat) {
                if (effect == BAN)
                    game->round.banned[other] |= 1u << what;
                else
                    game->round.slow[other] += t->amount[threat];
            }
    } else if (effect == EXHAUST) {
        player->ready &= ~meant(player->ready, what);
    } else if (effect == REFRESH) {
        player->ready |= meant(~(uint32_t)player->ready & ALL_DICE, what);
    } else if (effect == LOSE) {
        if (player->hand >> (8 * what) & 255) player->hand -= 1u << (8 * what);
    } else {
        replace_pool(game);
    }
}

/* ------------------------------------------------------------------------------------- From one decision to the next one */

INLINE void clear_round(Game *game) {
    const Round none = {{NONE, NONE}, {0, 0}, {0, 0}, {0, 0}};
    game->round = none;
    game->chosen = NONE;
    game->movement = 0;
}

INLINE void discard_boosts(Game *game) {
    for (int seat = 0; seat < PLAYERS; seat++) {
        discard(game, game->player[seat].boosted);
        game->player[seat].boosted = NONE;
    }
}

static void end_game(Game *game, int end) {
    discard_boosts(game);
    clear_round(game);
    game->end = (uint8_t)end;
    game->phase = OVER;
    game->current_player = NONE;
}

INLINE int is_finished(const Game *game) {
    return game->player[0].status != ACTIVE && game->player[1].status != ACTIVE;
}

INLINE void ask_setup(const Player *player, uint8_t *mask) {
    uint8_t token[SPOTS + 16] = {0}, row[16];
    memcpy(token, player->token, SPOTS);
    for (int a = 0, at = 0; a < SPOTS - 1; at += SPOTS - 1 - a, a++) { /* each row spills over, and the next is on top */
        for (int k = 0; k < 16; k++) row[k] = token[a + 1 + k] != token[a];
        memcpy(mask + at, row, 16);
    }
    mask[A_KEEP] = 1;
    memset(mask + A_KEEP + 1, 0, ROW - A_KEEP - 1);
}

INLINE void ask_step(const Player *player, uint8_t *mask, uint32_t open, int at_exit) {
    write_mask(mask, (uint64_t)may_use_rest_token(player) << 24, 0, (uint64_t)open << 32, (uint64_t)at_exit);
}

INLINE void begin_steps(const Batch *b, Game *game, Player *player, int seat, int points, uint8_t *mask) {
    int movement = game->die[game->chosen] + points - player->slows - game->round.slow[seat];
    game->movement = (uint8_t)(movement > 1 ? movement : 1);
    game->phase = STEP;
    ask_step(player, mask, ways(b, player), player->at == b->tables.exit);
}

static void roll_dice(const Batch *b, Game *game) {
    const Tables *t = &b->tables;
    Stream *stream = &game->stream;
    int ones = 0;
    for (int die = 0; die < DICE; die++) {
        uint64_t bits = scramble(stream->key + (stream->counter + 1 + (uint64_t)die) * GOLDEN) >> 32;
        game->die[die] = (uint8_t)(1 + (bits * t->sides[die] >> 32));
    }
    stream->counter += DICE;
    for (int die = 0; die < DICE; die++) ones += game->die[die] == 1;
    if (ones > 0 && game->player[game->first_player].status == ACTIVE) resolve_threat(t, game, game->first_player);
    for (int seat = 0; seat < PLAYERS; seat++)
        if (game->round.plan[seat] == REST) {
            Player *player = &game->player[seat];
            player->rested = 1;
            player->ready |= left_die(~(uint32_t)player->ready & ALL_DICE);
        }
    memcpy(game->before, game->player, sizeof game->before);
}

/* These three each find the next decision of their phase and write its mask, or go on to the next phase. */
static void go_on_exploring(const Batch *b, Game *game, uint8_t *mask);
static void go_on_researching(const Batch *b, Game *game, int from, uint8_t *mask);

static void go_on_planning(const Batch *b, Game *game, uint8_t *mask) {
    game->phase = PLAN;
    for (int k = 0; k < PLAYERS; k++) {
        int seat = game->first_player ^ k;
        Player *player = &game->player[seat];
        if (player->status != ACTIVE || game->round.plan[seat] != NONE) continue;
        uint32_t usable = player->ready & ~(uint32_t)player->bans, token = may_use_rest_token(player);
        uint32_t explore = usable != 0 && (player->at == b->tables.exit || ways(b, player) != 0);
        uint32_t plans = (player->rested == 0) | explore << 8 | (uint32_t)(affordable(b, game, player) != 0) << 16 | token << 24;
        if (plans != 0) {
            game->current_player = (int8_t)seat;
            write_mask(mask, plans, 0, 0, 0);
            return;
        }
        player->status = LOST;
        if (is_finished(game)) {
            end_game(game, FINISHED);
            return;
        }
    }
    roll_dice(b, game);
    go_on_exploring(b, game, mask);
}

static void go_on_exploring(const Batch *b, Game *game, uint8_t *mask) {
    game->phase = DIE;
    for (int k = 0; k < PLAYERS; k++) {
        int seat = game->first_player ^ k;
        Player *player = &game->player[seat];
        if (game->round.plan[seat] != EXPLORE || game->round.acted[seat]) continue;
        uint32_t bans = (uint32_t)player->bans | game->round.banned[seat], usable = player->ready & ~bans;
        uint32_t token = may_use_rest_token(player);
        if (usable != 0 || (token && (left_die(~(uint32_t)player->ready & ALL_DICE) & bans) == 0)) {
            uint64_t dice = spread(usable);
            game->current_player = (int8_t)seat;
            write_mask(mask, (uint64_t)token << 24 | dice << 32, dice >> 32, 0, 0);
            return;
        }
        game->round.acted[seat] = 1;
    }
    discard_boosts(game);
    go_on_researching(b, game, 0, mask);
}

static void go_on_researching(const Batch *b, Game *game, int from, uint8_t *mask) {
    game->phase = RESEARCH;
    for (int k = from; k < PLAYERS; k++) {
        int seat = game->first_player ^ k;
        if (game->round.plan[seat] != STUDY) continue;
        uint32_t cards = affordable(b, game, &game->player[seat]);
        if (cards != 0) {
            game->current_player = (int8_t)seat;
            write_mask(mask, 0, 0, 0, (uint64_t)cards << 8);
            return;
        }
    }
    if (UNLIKELY(game->round_number == b->tables.round_limit)) {
        for (int seat = 0; seat < PLAYERS; seat++)
            if (game->player[seat].status == ACTIVE) game->player[seat].status = LOST;
        end_game(game, CUT_OFF);
        return;
    }
    discard(game, game->pool[POOL - 1]);
    refill_pool(game, POOL - 1);
    clear_round(game);
    game->first_player ^= 1;
    game->round_number++;
    go_on_planning(b, game, mask);
}

INLINE void end_exploration(const Batch *b, Game *game, int seat, uint8_t *mask) {
    game->round.acted[seat] = 1;
    game->chosen = NONE;
    game->movement = 0;
    go_on_exploring(b, game, mask);
}

/* Plays a legal action and writes the mask of the next decision, unless the game is over. */
INLINE void play(const Batch *b, Game *game, uint8_t *mask, uint32_t action) {
    const Tables *t = &b->tables;
    int seat = game->current_player;
    Player *player = &game->player[seat];
    switch (game->phase) {
    case STEP:
        if (action < A_LEAVE && action >= A_STEP) {
            uint32_t cell = t->near[player->at][action - A_STEP], open;
            int spot = t->highlight_at[cell], at_exit = cell == t->exit;
            player->at = (uint8_t)cell;
            player->explored |= bit(cell);
            player->ready |= b->icon[cell];
            if (spot != NONE) player->hand += 1u << (8 * player->token[spot]);
            open = ways(b, player);
            game->movement--;
            if (game->movement == 0 || (open == 0 && !at_exit))
                end_exploration(b, game, seat, mask);
            else
                ask_step(player, mask, open, at_exit);
        } else if (action == A_LEAVE) {
            player->status = EXITED;
            player->exit_round = game->round_number;
            player->track = game->movement < t->track_length ? game->movement : t->track_length;
            if (is_finished(game))
                end_game(game, FINISHED);
            else
                end_exploration(b, game, seat, mask);
        } else {
            use_rest_token(player);
            ask_step(player, mask, ways(b, player), player->at == t->exit);
        }
        return;
    case PLAN:
        if (action == A_REST)
            use_rest_token(player);
        else
            game->round.plan[seat] = (int8_t)(action - A_PLAN);
        go_on_planning(b, game, mask);
        return;
    case DIE:
        if (action == A_REST) {
            use_rest_token(player);
            go_on_exploring(b, game, mask);
            return;
        }
        player->ready &= ~(1u << (action - A_DIE));
        game->chosen = (int8_t)(action - A_DIE);
        if (player->cards == 0) {
            begin_steps(b, game, player, seat, 0, mask);
            return;
        }
        game->phase = BOOST;
        break;
    case BOOST:
        if (action == A_NO_BOOST) {
            begin_steps(b, game, player, seat, 0, mask);
            return;
        }
        if (action != A_REST) {
            int points = t->boost[action - A_BOOST], place = 0;
            while (t->points[player->card[place]] != points) place++;
            player->boosted = player->card[place];
            for (; place < OWNED - 1; place++) player->card[place] = player->card[place + 1];
            player->card[OWNED - 1] = NONE;
            player->cards--;
            begin_steps(b, game, player, seat, points, mask);
            return;
        }
        use_rest_token(player);
        break;
    case RESEARCH: {
        int slot = (int)action - A_RESEARCH, card = game->pool[slot];
        player->hand -= b->price[card + 1];
        player->card[player->cards++] = (int8_t)card;
        refill_pool(game, slot);
        go_on_researching(b, game, (seat ^ game->first_player) + 1, mask);
        return;
    }
    default: /* setup: swaps are numbered row by row */
        if (action < A_KEEP) {
            uint32_t one = 0, other = action;
            for (; other >= SPOTS - 1 - one; one++) other -= SPOTS - 1 - one;
            exchange(player->token, one, one + 1 + other);
            place_boulder(b, player);
        }
        if (seat == 0) {
            game->current_player = 1;
            ask_setup(&game->player[1], mask);
        } else {
            game->current_player = 0;
            go_on_planning(b, game, mask);
        }
        return;
    }
    /* The boost: which points the cards have. */
    uint64_t points = 0;
    for (int k = 0; k < player->cards; k++) points |= bit(t->boost_index[t->points[player->card[k]]]);
    write_mask(mask, (uint64_t)may_use_rest_token(player) << 24, spread(points & 127) << 8,
               spread(points >> 7 | 1 << (A_NO_BOOST - 72)), 0);
}

static void deal(const Batch *b, Game *game, uint64_t key, uint8_t *mask) {
    uint8_t draws[DRAWS];
    for (int k = 0; k < DRAWS; k++)
        draws[k] = (uint8_t)((scramble(key + (uint64_t)(k + 1) * GOLDEN) >> 32) * b->bound[k] >> 32);
    memcpy(game, &b->fresh, sizeof *game);
    game->stream.key = key;
    game->stream.counter = DRAWS;
    permute(game->player[0].token, SPOTS, draws);
    permute(game->player[1].token, SPOTS, draws + SPOTS - 1);
    permute(game->deck, CARDS, draws + 2 * (SPOTS - 1));
    permute(game->threat_deck, THREAT_CARDS, draws + 2 * (SPOTS - 1) + CARDS - 1);
    place_boulder(b, &game->player[0]);
    place_boulder(b, &game->player[1]);
    memcpy(game->pool, game->deck, POOL);
    ask_setup(&game->player[0], mask);
}

/* ------------------------------------------------------------------------------------------------------------- Interface */

/* The sizes of the two structs that Python mirrors. */
void isla_sizes(int64_t *sizes) {
    sizes[0] = (int64_t)sizeof(Tables);
    sizes[1] = (int64_t)sizeof(Game);
}

void isla_free(Batch *b) {
    if (b != NULL) free(b->games);
    free(b);
}

/* Room for n games, or NULL: other components than those this file is written for, or no memory. */
Batch *isla_create(const Tables *t, int64_t n) {
    const int64_t layout[9] = {A_KEEP, A_PLAN, A_REST, A_DIE, A_BOOST, A_NO_BOOST, A_STEP, A_LEAVE, A_RESEARCH};
    int cell, count = 0, closed = NONE, copies = 0, tokens = 0;
    uint32_t *bound;
    for (cell = 0; cell < CELLS; cell++)
        if (t->terrain[cell] == NONE) closed = cell;
    for (int threat = 0; threat < THREATS; threat++) copies += t->copies[threat];
    for (int kind = 0; kind < KINDS; kind++) tokens += t->token_count[kind];
    if (memcmp(layout, t->layout, sizeof layout) != 0 || t->cards != CARDS || t->threats != THREATS || closed == NONE ||
        copies != THREAT_CARDS || tokens != SPOTS || n < 1)
        return NULL;
    Batch *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->tables = *t;
    b->n = n;
    b->games = aligned_alloc(64, (size_t)n * sizeof(Game));
    if (b->games == NULL) {
        isla_free(b);
        return NULL;
    }
    for (cell = 0; cell < CELLS; cell++) {
        if (t->terrain[cell] != NONE) b->land |= bit((uint32_t)cell);
        b->icon[cell] = (uint8_t)(t->icon[cell] == NONE ? 0 : 1 << t->icon[cell]);
        for (int k = 0; k < 4; k++)
            b->near[cell][k] = t->near[cell][k] == NO_CELL ? (uint8_t)closed : t->near[cell][k];
    }
    b->price[0] = 0x7F7F7F;
    for (int card = 0; card < CARDS; card++)
        for (int kind = 0; kind < SPECIES; kind++) b->price[card + 1] |= (uint32_t)t->cost[card][kind] << (8 * kind);

    Game *fresh = &b->fresh;
    for (int seat = 0; seat < PLAYERS; seat++) {
        Player *player = &fresh->player[seat];
        count = 0;
        for (int kind = 0; kind < KINDS; kind++)
            for (int k = 0; k < t->token_count[kind]; k++) player->token[count++] = (uint8_t)kind;
        player->ready = ALL_DICE;
        memset(player->card, NONE, OWNED);
        player->boosted = NONE;
        player->at = t->start;
        player->explored = bit(t->start);
    }
    for (int card = 0; card < CARDS; card++) fresh->deck[card] = (uint8_t)card;
    count = 0;
    for (int threat = 0; threat < THREATS; threat++)
        for (int k = 0; k < t->copies[threat]; k++) fresh->threat_deck[count++] = (uint8_t)threat;
    fresh->drawn = POOL;
    fresh->deck_size = CARDS;
    fresh->threat_deck_size = THREAT_CARDS;
    fresh->round_number = 1;
    clear_round(fresh);

    bound = b->bound;
    for (uint32_t left = SPOTS; left > 1; left--) *bound++ = left;
    for (uint32_t left = SPOTS; left > 1; left--) *bound++ = left;
    for (uint32_t left = CARDS; left > 1; left--) *bound++ = left;
    for (uint32_t left = THREAT_CARDS; left > 1; left--) *bound++ = left;
    return b;
}

/* Deals every game by its key, and writes all masks, (n, 128), of which the last 43 bytes of a row are 0. */
void isla_deal(Batch *b, const uint64_t *keys, uint8_t *masks) {
    for (int64_t i = 0; i < b->n; i++) deal(b, &b->games[i], keys[i], masks + i * ROW);
}

/* Plays `steps` random decisions in every game, a finished one being dealt anew; returns how many games ended. */
int64_t isla_roll(Batch *b, uint8_t *masks, float *rewards, Stream *samplers, int64_t steps) {
    int64_t ended = 0;
    for (int64_t i = 0; i < b->n; i++) {
        Game *game = &b->games[i];
        uint8_t *mask = masks + i * ROW;
        float *reward_of = rewards + i * PLAYERS;
        if (i + 1 < b->n) fetch(game + 1);
        for (int64_t step = 0; step < steps; step++) {
            memset(reward_of, 0, PLAYERS * sizeof *reward_of);
            play(b, game, mask, sample(mask, &samplers[i]));
            if (UNLIKELY(game->current_player < 0)) {
                reward(&b->tables, game, reward_of);
                ended++;
                deal(b, game, mix(game->stream.key, NEXT_GAME), mask);
            }
        }
    }
    return ended;
}

/* Puts other games in place, which must leave the masks as they are. */
void isla_import(Batch *b, const Game *games) { memcpy(b->games, games, (size_t)b->n * sizeof *games); }

/* Copies all games as they are, and their scores, (n, 2). */
void isla_export(const Batch *b, Game *games, int32_t *scores) {
    memcpy(games, b->games, (size_t)b->n * sizeof *games);
    for (int64_t i = 0; i < b->n; i++)
        for (int seat = 0; seat < PLAYERS; seat++) scores[PLAYERS * i + seat] = score(&b->tables, &b->games[i], seat);
}
