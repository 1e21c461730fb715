// SPDX-License-Identifier: BSD-3-Clause
// fit.cpp - fit.c in C++: handles free themselves, a failure is an exception.
//
//     c++ -std=c++17 fit.cpp $(pkg-config --cflags --libs rung) -o fit && ./fit train.csv model.rung
#include <rung/rung.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

struct Free {
    void operator()(rung_ctx *p) const { rung_ctx_free(p); }
    void operator()(rung_table *p) const { rung_table_free(p); }
    void operator()(rung_data *p) const { rung_data_free(p); }
    void operator()(rung_spec *p) const { rung_spec_free(p); }
    void operator()(rung_model *p) const { rung_model_free(p); }
};
template <class T> using Handle = std::unique_ptr<T, Free>;

class Rung
{
  public:
    Rung()
    {
        rung_ctx *opened = nullptr;
        rung_status status = rung_ctx_new(&opened);
        ctx.reset(opened);
        if (status != RUNG_OK) throw std::runtime_error(rung_status_name(status));
    }

    // function(ctx, arguments...), which must succeed
    template <class... P, class... A> void call(rung_status (*function)(rung_ctx *, P...), A... arguments) const
    {
        if (function(ctx.get(), arguments...) != RUNG_OK) throw std::runtime_error(rung_ctx_message(ctx.get()));
    }

    // the same, for functions that return an object through their last argument
    template <class T, class... P, class... A>
    Handle<T> make(rung_status (*function)(rung_ctx *, P...), A... arguments) const
    {
        T *made = nullptr;
        call(function, arguments..., &made);
        return Handle<T>(made);
    }

  private:
    Handle<rung_ctx> ctx;
};

// The error on rows held out of the fit, and the answers for the first rows.
static void show(const Rung &rung, const rung_model *model, const rung_data *data)
{
    rung_metrics cv{};
    cv.size = sizeof cv;
    if (rung_model_cv(model, &cv))
        std::printf("out-of-fold MAE %.3f on %lld rows\n", cv.mae, static_cast<long long>(cv.n));

    rung_view X = rung_data_view(data);
    X.n = std::min<int64_t>(X.n, 5);
    std::vector<int> rank(static_cast<std::size_t>(X.n));
    std::vector<double> score(rank.size());
    rung_output out{};
    out.size = sizeof out;
    out.rank = rank.data();
    out.score = score.data();
    rung.call(rung_model_predict, model, &X, nullptr, &out);
    for (std::size_t i = 0; i < rank.size(); i++)
        std::printf("row %zu: %s (score %.3f)\n", i + 1, rung_model_class_name(model, rank[i]), score[i]);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: fit DATA MODEL\n");
        return 2;
    }
    try {
        Rung rung;
        auto table = rung.make<rung_table>(rung_table_read, argv[1], nullptr);
        auto data = rung.make<rung_data>(rung_data_encode, table.get(), nullptr);
        auto spec = rung.make<rung_spec>(rung_spec_new, "auto", 0);
        auto model = rung.make<rung_model>(rung_model_fit, spec.get(), data.get());
        show(rung, model.get(), data.get());
        rung.call(rung_model_save, model.get(), argv[2]);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "fit: %s\n", error.what());
        return 1;
    }
}
